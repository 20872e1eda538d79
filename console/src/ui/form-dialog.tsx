import { useId, type ReactNode } from "react";
import { useTexts } from "../app/language.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";
import { UI_TEXTS } from "./texts.ts";

interface FormDialogProps {
  readonly title: ReactNode;
  /** The words of the button that saves. */
  readonly action: string;
  readonly busy: boolean;
  /** Of the last attempt to save; the fields keep their values. */
  readonly error: unknown;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly shape?: "dialog" | "wide";
  /** The arrangement of the fields. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A dialog with one form: the error of its last attempt, its fields, and two buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, busy, error, onSave, onClose, shape = "dialog", children } = props;
  const ui = useTexts(UI_TEXTS);
  const form = useId();
  return (
    <Dialog
      shape={shape}
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button look="main" type="submit" form={form} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={props.className ?? "flex flex-col gap-3"}
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        {error !== null && (
          <div className="sm:col-span-2">
            <Problem error={error} />
          </div>
        )}
        {children}
      </form>
    </Dialog>
  );
}
