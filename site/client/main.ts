import { addCopyButtons } from "./copy-buttons.ts";
import { addSearch } from "./search.ts";
import { addThemeButton } from "./theme-button.ts";
import { showCurrentPage } from "./show-current-page.ts";

addThemeButton();
addSearch();
addCopyButtons();
showCurrentPage();
