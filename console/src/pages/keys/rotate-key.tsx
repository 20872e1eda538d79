import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import type { Token } from "./key-form.tsx";
import { KEY_TEXTS } from "./texts.ts";

/** Seconds for which the old secret works beside the new one. */
const OVERLAPS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 };
type Overlap = keyof typeof OVERLAPS;
const NAMES = Object.keys(OVERLAPS) as readonly Overlap[];

interface RotateKeyProps {
  readonly token: Token;
  readonly onRotated: (secret: string) => void;
  readonly onClose: () => void;
}

/** A new secret for a key that keeps its limits and spending. */
export function RotateKey({ token, onRotated, onClose }: RotateKeyProps) {
  const t = useTexts(KEY_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const [overlap, setOverlap] = useState<Overlap>("day");
  const rotate = hooks.useMutation("post", "/api/key/{id}/rotate", {
    onSuccess: ({ data }) => onRotated(data.key),
    onError: () => undefined,
  });
  return (
    <Dialog
      title={t.rotateTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look="main"
            busy={rotate.isPending}
            onClick={() =>
              rotate.mutate({
                params: { path: { id: String(token.id) } },
                body: { overlap_s: OVERLAPS[overlap] },
              })
            }
          >
            {t.rotate}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p className="font-medium">{token.name}</p>
        <p>{t.rotateHint}</p>
        {rotate.error !== null && <Problem error={rotate.error} />}
        <SelectField
          label={t.overlap}
          value={overlap}
          choices={NAMES.map((value) => ({ value, label: t.overlaps[value] }))}
          onChange={(event) => setOverlap(event.target.value as Overlap)}
        />
      </div>
    </Dialog>
  );
}
