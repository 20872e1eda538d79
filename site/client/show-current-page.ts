/** Scrolls the menu, and nothing else, so that it shows where the reader is. */
export function showCurrentPage(): void {
  const menu = document.querySelector<HTMLElement>("#menu");
  const link = menu?.querySelector<HTMLElement>("[aria-current=page]");
  if (!menu || !link) return;
  menu.scrollTop = link.offsetTop - menu.clientHeight / 2;
}
