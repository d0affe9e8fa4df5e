"""Text columns for Arrow: string views on the bytes of a file, handed over without a copy.

The structures are those of the Arrow C data interface; any library that takes ``__arrow_c_array__`` reads them.
"""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


cdef struct ArrowSchema:
    const char* format
    const char* name
    const char* metadata
    int64_t flags
    int64_t n_children
    ArrowSchema** children
    ArrowSchema* dictionary
    void (*release)(ArrowSchema*) noexcept
    void* private_data


cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void** buffers
    ArrowArray** children
    ArrowArray* dictionary
    void (*release)(ArrowArray*) noexcept
    void* private_data


cdef struct Shared:
    # The buffers of an array: no validity, the views, the bytes they point to, and the size of these.
    const void* buffers[4]
    int64_t sizes[1]
    PyObject* owner


cdef void _release_schema(ArrowSchema* schema) noexcept:
    schema.release = NULL  # its texts are constants


cdef void _release_array(ArrowArray* array) noexcept with gil:
    # The last reader may be a thread of another library.
    cdef Shared* shared = <Shared*> array.private_data
    Py_DECREF(<object> shared.owner)
    free(shared)
    array.release = NULL


cdef void _free_schema(object capsule) noexcept:
    cdef ArrowSchema* schema = <ArrowSchema*> PyCapsule_GetPointer(capsule, "arrow_schema")
    if schema.release != NULL:  # nobody took it
        schema.release(schema)
    free(schema)


cdef void _free_array(object capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*> PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    free(array)


cdef class StringViews:
    """One field of some rows as Arrow strings; the bytes live as long as any reader of them."""

    cdef const uint8_t[::1] data
    cdef int32_t[:, ::1] views

    def __init__(
        self, const uint8_t[::1] data, const int32_t[:, ::1] fields, const int32_t[::1] rows,
        Py_ssize_t column,
    ):
        cdef int32_t[:, ::1] views = np.zeros((len(rows), 4), np.int32)
        cdef Py_ssize_t i
        cdef int32_t start, size
        with nogil:
            for i in range(rows.shape[0]):
                start = fields[rows[i], column]
                size = fields[rows[i], column + 1] - 1 - start
                views[i, 0] = size
                if size > 0:
                    memcpy(&views[i, 1], &data[start], size if size <= 12 else 4)
                if size > 12:
                    views[i, 3] = start
        self.data, self.views = data, views

    def __len__(self):
        return self.views.shape[0]

    def __arrow_c_schema__(self):
        """Return the type: strings as views, none of them missing."""
        cdef ArrowSchema* schema = <ArrowSchema*> calloc(1, sizeof(ArrowSchema))
        if schema == NULL:
            raise MemoryError
        schema.format, schema.name = "vu", ""
        schema.release = _release_schema
        return PyCapsule_New(schema, "arrow_schema", _free_schema)

    def __arrow_c_array__(self, requested_schema=None):
        """Return type and array; another type may be requested, and need not be given."""
        kind = self.__arrow_c_schema__()
        cdef ArrowArray* array = <ArrowArray*> calloc(1, sizeof(ArrowArray))
        cdef Shared* shared = <Shared*> calloc(1, sizeof(Shared))
        if array == NULL or shared == NULL:
            free(array)
            free(shared)
            raise MemoryError
        array.length, array.n_buffers = self.views.shape[0], 4
        if array.length:
            shared.buffers[1] = &self.views[0, 0]
        if self.data.shape[0]:
            shared.buffers[2] = &self.data[0]
        shared.sizes[0] = self.data.shape[0]
        shared.buffers[3] = &shared.sizes[0]
        shared.owner = <PyObject*> self
        Py_INCREF(self)
        array.buffers, array.private_data = shared.buffers, shared
        array.release = _release_array
        return kind, PyCapsule_New(array, "arrow_array", _free_array)
