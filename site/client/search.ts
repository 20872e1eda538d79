import MiniSearch from "minisearch";
import { SEARCH_OPTIONS, type SearchEntry } from "../search-options.ts";

const MOST_RESULTS = 12;

type Index = MiniSearch<SearchEntry>;

/** Search in the index of this language, which is loaded when the dialog is opened first. */
export function addSearch(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-search-button]");
  const dialog = document.querySelector<HTMLDialogElement>("#search");
  const input = dialog?.querySelector("input");
  const list = dialog?.querySelector("ol");
  const source = document.body.dataset["index"];
  if (!button || !dialog || !input || !list || source === undefined) return;

  let index: Promise<Index> | undefined;
  const open = (): void => {
    index ??= load(source);
    dialog.showModal();
    input.select();
  };
  const show = async (): Promise<void> => {
    const found = (await (index ??= load(source))).search(input.value);
    const results = found.slice(0, MOST_RESULTS).map((each) => resultOf(each));
    const isEmpty = input.value.trim() !== "" && results.length === 0;
    list.replaceChildren(...(isEmpty ? [emptyOf()] : results));
  };

  button.hidden = false;
  button.addEventListener("click", open);
  input.addEventListener("input", () => void show());
  dialog.addEventListener("keydown", (event) => moveFocus(event, input, list));
  // A click beside the dialog reaches the dialog itself.
  dialog.addEventListener("click", (event) => {
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (event.target === dialog || isLink) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isShortcut = event.key === "k" && (event.ctrlKey || event.metaKey);
    if (dialog.open || !(isShortcut || (event.key === "/" && !isTyping))) return;
    event.preventDefault();
    open();
  });
}

async function load(source: string): Promise<Index> {
  const response = await fetch(source);
  return MiniSearch.loadJSON<SearchEntry>(await response.text(), SEARCH_OPTIONS);
}

function resultOf(found: Readonly<Record<string, unknown>>): HTMLLIElement {
  const { url, page, heading, start } = found as unknown as SearchEntry;
  const link = document.createElement("a");
  link.href = url;
  const title = document.createElement("strong");
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const text = document.createElement("span");
  text.textContent = start;
  link.append(title, text);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function emptyOf(): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = document.body.dataset["nothing"] ?? "";
  return item;
}

function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLOListElement): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.findIndex((link) => link === document.activeElement);
  if (event.key === "Enter" && document.activeElement === input) links[0]?.click();
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const next = links[event.key === "ArrowDown" ? at + 1 : at - 1];
  (next ?? input).focus();
}
