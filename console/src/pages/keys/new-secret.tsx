import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { snippetsOf } from "../../api/snippets.ts";
import { KEY_TEXTS } from "./texts.ts";

/** Shows a new secret once, in the form of the client that it is for. */
export function NewSecret({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}) {
  const t = useTexts(KEY_TEXTS);
  const snippets = snippetsOf(location.origin, secret);
  const [name, setName] = useState("Environment");
  const chosen = snippets.find((each) => each.name === name);
  return (
    <Dialog
      title={t.secretTitle}
      onClose={onClose}
      actions={
        <Button look="main" onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-warn text-sm">{t.secretHint}</p>
        <Code text={secret} label={t.secret} />
        <label className="flex items-center gap-2 text-sm">
          {t.useIn}
          <Select
            className="w-48"
            value={name}
            onChange={(event) => setName(event.target.value)}
            choices={snippets.map((each) => ({ value: each.name, label: each.name }))}
          />
        </label>
        {chosen !== undefined && <Code text={chosen.text} label={chosen.name} />}
      </div>
    </Dialog>
  );
}
