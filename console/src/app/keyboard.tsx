import { Dialog } from "../ui/dialog.tsx";
import { useTexts } from "./language.ts";
import { PAGES } from "./pages.ts";
import { SHELL_TEXTS } from "./texts.ts";

/** Help on the keyboard. */
export function Keyboard({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(SHELL_TEXTS);
  const keys = [
    ["/", t.shortcuts.search],
    ["Ctrl K", t.shortcuts.commands],
    ["j k", t.shortcuts.rows],
    ["Enter", t.shortcuts.open],
    ["?", t.shortcuts.help],
    ...PAGES.flatMap(({ key, name }) => (key === undefined ? [] : [[`g ${key}`, t.pages[name]]])),
  ];
  return (
    <Dialog title={t.help} onClose={onClose}>
      <dl className="grid grid-cols-[5rem_1fr] gap-x-4 gap-y-1.5 text-sm">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="border-line bg-bg rounded-sm border px-1.5 font-mono text-xs">
                {key}
              </kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
