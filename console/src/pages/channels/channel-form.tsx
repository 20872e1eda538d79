import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, hooks } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { toast } from "../../ui/toast.tsx";
import { bodyOf, changesBetween, draftOf, merge } from "./channel-draft.ts";
import type { Channel } from "./channel.ts";
import { Conflict } from "./conflict.tsx";
import { FieldGroups } from "./draft-fields.tsx";
import { FORM_TEXTS } from "./form-texts.ts";
import { useForm } from "./use-form.ts";
import { VENDORS } from "./vendors.ts";

interface ChannelFormProps {
  readonly channel: Channel;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Changes a channel. It sends changed fields only, based on the revision that it shows. */
export function ChannelForm({ channel, onSaved, onClose }: ChannelFormProps) {
  const t = useTexts(FORM_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const client = useQueryClient();
  const form = useForm(() => draftOf(channel));
  const [base, setBase] = useState(channel);
  const [before, setBefore] = useState<Channel>();
  const update = hooks.useMutation("put", "/api/channel/{id}", {
    onSuccess({ data: { name } }) {
      void client.invalidateQueries({ queryKey: ["get", "/api/channel"] });
      toast(t.saved(name));
      onSaved();
    },
    async onError(error: unknown) {
      if (!(error instanceof ApiError) || error.status !== 409) return;
      const { data } = await api.GET("/api/channel/{id}", {
        params: { path: { id: String(base.id) } },
      });
      if (data === undefined) return;
      form.replace(merge(draftOf(base), form.draft, draftOf(data.data)));
      setBefore(base);
      setBase(data.data);
    },
  });
  const save = (): void => {
    if (!form.isValid()) return;
    const changes = changesBetween(bodyOf(draftOf(base)), bodyOf(form.draft));
    const revision = base.revision === null ? {} : { revision: base.revision };
    update.mutate({
      params: { path: { id: String(base.id) } },
      body: { ...changes, ...revision },
    } as never);
  };
  const isConflict = update.error instanceof ApiError && update.error.status === 409;
  return (
    <Dialog
      shape="wide"
      title={t.edit(channel.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button look="main" type="submit" form="channel-form" busy={update.isPending}>
            {t.save}
          </Button>
        </>
      }
    >
      <form
        id="channel-form"
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {update.error !== null && !isConflict && <Problem error={update.error} />}
        {before !== undefined && (
          <Conflict
            before={draftOf(before)}
            theirs={draftOf(base)}
            mine={form.draft}
            onTake={(name) => form.set(name, draftOf(base)[name])}
          />
        )}
        <SelectField
          label={t.vendor}
          value={form.draft.vendor}
          onChange={(event) => form.set("vendor", event.target.value)}
          choices={VENDORS.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          label={t.key}
          hint={t.keepKey}
          type="password"
          value={form.draft.key}
          onChange={(event) => form.set("key", event.target.value)}
        />
        <FieldGroups form={form} open="vendor" />
      </form>
    </Dialog>
  );
}
