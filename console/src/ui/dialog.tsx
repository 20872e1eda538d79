import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { useTexts } from "../app/language.ts";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { UI_TEXTS } from "./texts.ts";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the bottom. */
  readonly actions?: ReactNode;
  /** `drawer`: at the right edge, over the whole height. */
  readonly shape?: "dialog" | "wide" | "drawer";
}

const SHAPES = {
  dialog: "m-auto w-[min(32rem,calc(100vw-1rem))] max-h-[calc(100dvh-2rem)] rounded-md border",
  wide: "m-auto w-[min(56rem,calc(100vw-1rem))] max-h-[calc(100dvh-2rem)] rounded-md border",
  drawer: "ml-auto mr-0 my-0 h-dvh max-h-none w-[min(48rem,100vw)] max-w-none border-l",
};

/** The platform's dialog: it traps the focus, closes on Escape and returns the focus. */
export function Dialog({ title, onClose, children, actions, shape = "dialog" }: DialogProps) {
  const t = useTexts(UI_TEXTS);
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Before the next event: a later effect would leave the dialog closed for a frame or more.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // It was focused before the dialog was open, and opening focuses the first button.
    element?.querySelector<HTMLElement>("[data-autofocus=true]")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className={classes("border-line bg-raised text-ink p-0 shadow-xl", SHAPES[shape])}
    >
      <div className={classes("flex max-h-[inherit] flex-col", shape === "drawer" && "h-full")}>
        <header className="border-line flex items-center gap-2 border-b py-1.5 pr-1.5 pl-4">
          <h2 id={name} className="min-w-0 flex-1 truncate text-base">
            {title}
          </h2>
          <IconButton label={t.close} onClick={onClose}>
            <X size={16} />
          </IconButton>
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        {actions !== undefined && (
          <footer className="border-line flex flex-wrap justify-end gap-2 border-t px-4 py-2.5">
            {actions}
          </footer>
        )}
      </div>
    </dialog>
  );
}

/** Asks before something that cannot be undone; `children` says what it ends. */
export function Confirm({
  title,
  action,
  busy,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const t = useTexts(UI_TEXTS);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="text-sm">{children}</div>
    </Dialog>
  );
}
