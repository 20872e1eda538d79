const DONE_MS = 1_500;

/** A button on each example. Browsers have a clipboard on secure addresses only. */
export function addCopyButtons(): void {
  if (!("clipboard" in navigator)) return;
  const { copy = "", copied = "" } = document.body.dataset;
  for (const example of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = copy;
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(example.querySelector("code")?.textContent ?? "");
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), DONE_MS);
    });
    example.append(button);
  }
}
