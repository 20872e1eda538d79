import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, SelectField, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { toast } from "../../ui/toast.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { TYPES, type AssetGroup } from "./asset.ts";
import { ASSET_TEXTS } from "./texts.ts";

interface Upload {
  readonly group_id: string;
  readonly type: (typeof TYPES)[number];
  readonly name: string;
  readonly file: File;
}

/** A new asset from an address, or from a file for groups of the gateway. */
export function NewAssetForm({
  groups,
  onClose,
}: {
  readonly groups: readonly AssetGroup[];
  readonly onClose: () => void;
}) {
  const t = useTexts(ASSET_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  const [form, field] = useFields({
    from: groups.some(({ channel }) => channel === null) ? "file" : "url",
    group: "",
    type: "image",
    name: "",
    url: "",
  });
  const done = {
    onSuccess() {
      toast(t.added);
      void client.invalidateQueries({ queryKey: ["get", "/api/asset/self"] });
      void client.invalidateQueries({ queryKey: ["get", "/api/asset/self/group"] });
      onClose();
    },
    onError: () => undefined,
  };
  const create = hooks.useMutation("post", "/api/asset/self", done);
  const upload = useMutation({ mutationFn: send, ...done });
  const isFile = form.from === "file";
  const choices = groups.filter(({ channel }) => !isFile || channel === null);
  const group = choices.find(({ id }) => id === form.group) ?? choices[0];
  const type = TYPES.find((each) => each === form.type) ?? "image";
  const save = (): void => {
    if (group === undefined) return;
    const name = form.name.trim();
    if (!isFile)
      create.mutate({
        body: { group_id: group.id, type, url: form.url.trim(), ...(name === "" ? {} : { name }) },
      });
    else if (file !== undefined) upload.mutate({ group_id: group.id, type, name, file });
  };
  const error = isFile ? upload.error : create.error;
  return (
    <Dialog
      title={t.add}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look="main"
            type="submit"
            form="asset-form"
            busy={create.isPending || upload.isPending}
            disabled={group === undefined}
          >
            {t.save}
          </Button>
        </>
      }
    >
      <form
        id="asset-form"
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {error !== null && <Problem error={error} />}
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <SelectField
            label={t.from}
            choices={(["file", "url"] as const).map((value) => ({
              value,
              label: t.froms[value],
            }))}
            {...field("from")}
          />
          <SelectField
            label={t.type}
            choices={TYPES.map((value) => ({ value, label: t.types[value] }))}
            {...field("type")}
          />
        </div>
        {group === undefined ? (
          <p className="text-warn text-sm">{isFile ? t.noOwnGroup : t.noGroup}</p>
        ) : (
          <SelectField
            label={t.groupChoice}
            choices={choices.map(({ id, name }) => ({ value: id, label: name }))}
            {...field("group")}
            value={group.id}
          />
        )}
        {isFile ? (
          <Field label={t.file} hint={t.fileHint}>
            {(control) => (
              <input
                {...control}
                type="file"
                required
                accept={`${type}/*`}
                className="text-sm"
                onChange={(event) => setFile(event.target.files?.[0])}
              />
            )}
          </Field>
        ) : (
          <TextField label={t.url} hint={t.urlHint} type="url" required {...field("url")} />
        )}
        <TextField label={t.name} maxLength={64} {...field("name")} />
      </form>
    </Dialog>
  );
}

function send({ file, ...fields }: Upload) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== "") body.append(name, value);
  body.append("file", file);
  // The types describe the parts of the form; the form itself is sent.
  return api.POST("/api/asset/self/file", {
    body: { ...fields, file: file.name },
    bodySerializer: () => body,
  });
}
