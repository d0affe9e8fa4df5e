// Only in a page that `report --serve` serves: load it again when it was made again.
const shown = document.querySelector('meta[name="treegauge-served"]').content;
new EventSource("/events").addEventListener("message", (event) => {
  if (event.data !== shown) location.reload();
});
