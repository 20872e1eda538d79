import { Terminal } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { curlOf, type Equal } from "../api/curl.ts";
import { useTexts } from "../app/language.ts";
import { IconButton } from "./button.tsx";
import { Code } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { UI_TEXTS } from "./texts.ts";

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** The request behind this page. */
  readonly equal?: Equal;
  /** The command that shows the same. */
  readonly command?: string;
  readonly children: ReactNode;
}

/** The frame of each page: its title, its actions, and the equal command. */
export function Page({ title, actions, equal, command, children }: PageProps) {
  const t = useTexts(UI_TEXTS);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main
      id="main"
      tabIndex={-1}
      className="flex min-h-0 min-w-0 flex-1 flex-col gap-3 p-3 outline-none *:shrink-0 sm:px-5 sm:py-4"
    >
      <header className="flex min-h-8 flex-wrap items-center gap-2">
        <h1 className="mr-auto text-lg">{title}</h1>
        {actions}
        {equal !== undefined && (
          <IconButton label={t.equal} onClick={() => setOpen(true)}>
            <Terminal size={16} />
          </IconButton>
        )}
      </header>
      {children}
      {isOpen && equal !== undefined && (
        <Dialog title={t.equal} onClose={() => setOpen(false)}>
          <div className="flex flex-col gap-3">
            <Code text={curlOf(equal)} label={t.copyCurl} />
            {command !== undefined && <Code text={command} label={t.copyCli} />}
            <p className="text-muted text-xs">{t.equalHint}</p>
          </div>
        </Dialog>
      )}
    </main>
  );
}

/** A part of a page under a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-8 items-center gap-2">
        <h2 className="mr-auto text-base">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** What a page shows before there is anything, and what to do about it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="border-line text-muted flex flex-col items-center gap-2 rounded-md border border-dashed px-4 py-10 text-center text-sm">
      <p className="text-ink font-medium">{title}</p>
      {children}
    </div>
  );
}
