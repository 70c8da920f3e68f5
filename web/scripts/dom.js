// SPDX-License-Identifier: Apache-2.0

/** The few things that every part does to the document. Text goes in as text, never as markup. */

const svg = "http://www.w3.org/2000/svg";

/** Paths on a 24 × 24 grid, drawn with a round pen. Parts that come late bring theirs along.
 * @type {Record<string, string>} */
export const icons = {
  download: "M12 4v11m0 0 4.5-4.5M12 15l-4.5-4.5M5 19.5h14",
  upload: "M12 15.5v-11m0 0 4.5 4.5M12 4.5 7.5 9M5 19.5h14",
  push: "M5 12h13m0 0-5-5m5 5-5 5",
  task: "M4.5 7l2 2L10 5.5M4.5 16l2 2 3.5-3.5M13.5 7.5H20M13.5 16.5H20",
  demo: "M9 4h6m-5 0v5.5L5.5 17.5A1.7 1.7 0 0 0 7 20h10a1.7 1.7 0 0 0 1.5-2.5L14 9.5V4M8 14.5h8",
  pause: "M9 6v12M15 6v12",
  resume: "M8 5.5v13l10.5-6.5z",
  cancel: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  retry: "M19 12a7 7 0 1 1-2.2-5.1M19 4.5V8h-3.5",
  done: "M5.5 12.5l4.5 4.5 8.5-9.5",
  failed: "M12 7v6m0 3.5v.1M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
  cancelled: "M6 6l12 12M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
  waiting: "M12 7.5V12l3 2M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z",
  undo: "M8 5 4.5 8.5 8 12M5 8.5h9a5 5 0 0 1 0 10h-4",
};

/**
 * An element with its attributes and children.
 * @param {string} tag @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A picture that says nothing which words don't say too.
 * @param {string} name @returns {SVGElement}
 */
export function icon(name) {
  const made = document.createElementNS(svg, "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("aria-hidden", "true");
  made.classList.add("icon");
  made.append(document.createElementNS(svg, "path"));
  showIcon(made, name);
  return made;
}

/** @param {Element} made @param {string} name */
export function showIcon(made, name) {
  set(/** @type {Element} */ (made.firstElementChild), "d", icons[name] ?? icons["download"] ?? "");
}

/**
 * A round button with a picture; its name is read aloud and shown as a hint.
 * @param {string} name icon
 * @param {string} label @param {() => void} act @returns {HTMLButtonElement}
 */
export function iconButton(name, label, act) {
  const made = /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: "icon-button" }, icon(name)));
  made.addEventListener("click", act);
  nameButton(made, name, label);
  return made;
}

/** @param {HTMLButtonElement} button @param {string} name icon @param {string} label */
export function nameButton(button, name, label) {
  set(button, "aria-label", label);
  set(button, "title", label);
  showIcon(/** @type {Element} */ (button.firstElementChild), name);
}

/** A part of the page that is fetched when it is first used, with its style sheet; one that the network would not bring
 * is asked for again the next time.
 * @template Module, Part @param {() => Promise<Module>} load @param {(made: Module) => Part} mount
 * @param {() => unknown} [style] @returns {() => Promise<Part>} */
export function lazily(load, mount, style = () => {}) {
  /** @type {Promise<Part> | null} */
  let fetched = null;
  return () => fetched ??= Promise.all([load(), style()]).then(([made]) => mount(made)).catch((problem) => {
    fetched = null;
    throw problem;
  });
}

/** A style sheet that no first sight needs. Who shows what it is for waits for it.
 * @param {string} name @returns {() => Promise<unknown>} */
function stylesheet(name) {
  return lazily(() => new Promise((resolve, reject) => {
    const made = element("link", { rel: "stylesheet", href: `styles/${name}.css` });
    made.addEventListener("load", resolve);
    made.addEventListener("error", reject);
    document.head.append(made);
  }), () => {});
}

export const styles = { later: stylesheet("later"), sheet: stylesheet("sheet") };

/**
 * Writes only what differs: an untouched node costs no layout.
 * @param {Node} node @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string | null} value null takes it away */
export function set(node, name, value) {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/**
 * A bar that is empty, and how its parts are shown.
 * @param {Record<string, string>} name how it is called: aria-label or aria-labelledby
 * @returns {HTMLElement}
 */
export function progressBar(name) {
  return element("div", { class: "bar", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", ...name },
    element("div", { class: "fill" }));
}

/** @param {HTMLElement} bar @param {number | null} part 0…1, null while nobody can know
 * @param {number | null} percent @param {string} state what waits at an unknown point is no bar that wanders */
export function showBar(bar, part, percent, state) {
  set(bar, "data-unknown", part === null && state === "running" ? "" : null);
  const scale = part === null ? (state === "running" ? "" : "scaleX(0)") : `scaleX(${part.toFixed(5)})`;
  const fill = /** @type {HTMLElement} */ (bar.firstElementChild);
  if (fill.style.transform !== scale) fill.style.transform = scale;
  set(bar, "aria-valuenow", percent === null ? null : String(percent));
}

/**
 * An element of the page's shell.
 * @param {string} id @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element “${id}”`);
  return found;
}

/**
 * Puts `wanted` into `parent` in that order and takes out the rest, moving as little as it can, so that
 * focus, pointer and animations survive.
 * @param {Element} parent @param {Element[]} wanted
 */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of Array.from(parent.children)) if (!keep.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of wanted) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}
