/** The console has the same choice under the same name. */
const STORED = "sluice.theme";

export function addThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-theme-button]");
  if (button === null) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(STORED, theme);
  });
}

function isDark(): boolean {
  const theme = document.documentElement.dataset["theme"];
  return theme === undefined
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : theme === "dark";
}
