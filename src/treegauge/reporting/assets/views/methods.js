// Methods: how each number is made. Python writes the text; this view shows it.

const mount = (root, page) => {
  const written = document.getElementById("methods-text");
  written.hidden = false;
  root.append(written);
  const show = () => {
    const asked = page.params.method;
    const entry = asked && document.getElementById(`method-${asked}`);
    if (entry) entry.scrollIntoView();
  };
  show();
  return { update: show };
};

export const view = {
  key: "methods",
  title: "Methods",
  lead: "How is each number made, and how can I reproduce it?",
  filters: [],
  shows: () => true,
  mount,
};
