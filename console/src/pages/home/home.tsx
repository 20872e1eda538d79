import { useTexts } from "../../app/language.ts";
import { SHELL_TEXTS } from "../../app/texts.ts";
import { Page as PageFrame } from "../../ui/page.tsx";

export function Page() {
  const t = useTexts(SHELL_TEXTS);
  return <PageFrame title={t.pages.home}>{null}</PageFrame>;
}
