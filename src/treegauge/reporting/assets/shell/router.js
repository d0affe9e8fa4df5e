// The URL's hash says which view is open and what is chosen in it: #view?name=value&...

//: Choices that follow the reader from view to view.
export const SHARED = ["treebank", "system"];

const isEmpty = (value) => value === null || value === undefined || value === "";

export const parseHash = (hash) => {
  // Some programs that pass links on write %3F for the question mark.
  const [view, query = ""] = hash.replace(/^#/, "").replace(/%3f/i, "?").split(/\?(.*)/s);
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
};

export const makeHash = (view, params = {}) => {
  const kept = Object.entries(params).filter(([, value]) => !isEmpty(value));
  const query = new URLSearchParams(kept).toString();
  return `#${view}${query ? `?${query}` : ""}`;
};

// Parameters after changes; an empty value removes a parameter.
export const changed = (params, changes) =>
  Object.fromEntries(Object.entries({ ...params, ...changes }).filter(([, v]) => !isEmpty(v)));

// Parameters of another view: those given, and the shared ones that are not.
export const carried = (params, own = {}) => {
  const shared = Object.fromEntries(SHARED.map((name) => [name, params[name]]));
  return changed(shared, own);
};
