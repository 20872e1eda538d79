import { useState } from "react";
import { invalidFields, type Draft, type FieldName } from "./channel-draft.ts";
import type { Form } from "./draft-fields.tsx";

interface DraftForm extends Form {
  replace(draft: Draft): void;
  /** Marks fields that hold no JSON, from the first try to send on. */
  isValid(): boolean;
}

export function useForm(first: Draft | (() => Draft)): DraftForm {
  const [draft, setDraft] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const invalid = isChecked ? invalidFields(draft) : [];
  return {
    draft,
    invalid,
    set: (name: FieldName, value: string) => setDraft((before) => ({ ...before, [name]: value })),
    replace: setDraft,
    isValid() {
      setChecked(true);
      return invalidFields(draft).length === 0;
    },
  };
}
