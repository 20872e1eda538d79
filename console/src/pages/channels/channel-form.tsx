import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { toast } from "../../ui/toast.tsx";
import type { Channel } from "./channel.ts";
import { CHANNEL_TEXTS } from "./texts.ts";

interface ChannelFormProps {
  /** The channel to change; undefined adds one. */
  readonly channel?: Channel;
  readonly onSaved: (name: string) => void;
  readonly onClose: () => void;
}

/** A vendor and its key are enough; all else has a default. */
export function ChannelForm({ channel, onSaved, onClose }: ChannelFormProps) {
  const t = useTexts(CHANNEL_TEXTS).form;
  const ui = useTexts(UI_TEXTS);
  const client = useQueryClient();
  const [form, setForm] = useState(() => ({
    vendor: channel?.provider ?? "",
    name: channel?.name ?? "",
    key: "",
    address: channel?.base_url ?? "",
    models: channel?.models?.map(writeModel).join("\n") ?? "",
    priority: String(channel?.priority ?? 0),
    weight: String(channel?.weight ?? 1),
    concurrent: channel?.max_concurrent?.toString() ?? "",
    prefix: channel?.model_prefix ?? "",
    tags: channel?.tags.join(", ") ?? "",
    notes: channel?.notes ?? "",
  }));
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setForm((before) => ({ ...before, [name]: event.target.value })),
  });
  const done = (name: string): void => {
    void client.invalidateQueries({ queryKey: ["get", "/api/channel"] });
    toast(t.saved(name));
    onSaved(name);
  };
  const create = hooks.useMutation("post", "/api/channel", {
    onSuccess: ({ data }) => done(data.name),
    onError: () => undefined,
  });
  const update = hooks.useMutation("put", "/api/channel/{id}", {
    onSuccess: ({ data }) => done(data.name),
    onError: () => undefined,
  });
  const save = (): void => {
    const body = {
      name: form.name.trim() || form.vendor,
      provider: form.vendor.trim(),
      base_url: form.address.trim() || null,
      models: readModels(form.models),
      priority: Number(form.priority),
      weight: Number(form.weight),
      max_concurrent: form.concurrent === "" ? null : Number(form.concurrent),
      model_prefix: form.prefix.trim() || null,
      tags: form.tags
        .split(",")
        .map((tag) => tag.trim())
        .filter(Boolean),
      notes: form.notes.trim() || null,
      ...(form.key === "" ? {} : { api_key: form.key.trim() }),
    };
    if (channel?.id === undefined || channel.id === null) create.mutate({ body });
    else
      update.mutate({
        params: { path: { id: String(channel.id) } },
        body: { ...body, ...(channel.revision === null ? {} : { revision: channel.revision }) },
      } as never);
  };
  return (
    <Dialog
      title={channel === undefined ? t.new : t.edit(channel.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look="main"
            type="submit"
            form="channel-form"
            busy={create.isPending || update.isPending}
          >
            {channel === undefined ? t.saveAndTest : t.save}
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
        {(create.error ?? update.error) !== null && (
          <Problem error={create.error ?? update.error} />
        )}
        <VendorField label={t.vendor} {...field("vendor")} autoFocus={channel === undefined} />
        <TextField
          label={t.key}
          hint={channel === undefined ? t.keyHint : t.keepKey}
          type="password"
          autoComplete="off"
          {...field("key")}
        />
        <details open={channel !== undefined}>
          <summary className="text-accent text-sm">{t.more}</summary>
          <div className="mt-3 grid grid-cols-1 gap-3 sm:grid-cols-2">
            <TextField label={t.name} placeholder={form.vendor} {...field("name")} />
            <TextField label={t.address} hint={t.addressHint} type="url" {...field("address")} />
            <div className="sm:col-span-2">
              <TextArea
                label={t.models}
                hint={t.modelsHint}
                className="font-mono text-xs"
                {...field("models")}
              />
            </div>
            <TextField
              label={t.priority}
              hint={t.priorityHint}
              type="number"
              {...field("priority")}
            />
            <TextField
              label={t.weight}
              hint={t.weightHint}
              type="number"
              min={0}
              {...field("weight")}
            />
            <TextField label={t.concurrent} type="number" min={1} {...field("concurrent")} />
            <TextField label={t.prefix} {...field("prefix")} />
            <TextField label={t.tags} hint={t.tagsHint} {...field("tags")} />
            <TextArea label={t.notes} rows={2} {...field("notes")} />
          </div>
        </details>
      </form>
    </Dialog>
  );
}

/** The vendors that other channels and the catalogue name. */
function VendorField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  readonly autoFocus: boolean;
}) {
  const catalog = hooks.useQuery("get", "/api/catalog", {}, { staleTime: Infinity });
  return (
    <>
      <TextField {...props} list="vendors" required />
      <datalist id="vendors">
        {catalog.data?.data.items.map(({ provider }) => (
          <option key={provider} value={provider} />
        ))}
        <option value="openai-compatible" />
      </datalist>
    </>
  );
}

function writeModel(model: string | { readonly name: string; readonly upstream: string }): string {
  return typeof model === "string" ? model : `${model.name} = ${model.upstream}`;
}

function readModels(text: string): (string | { name: string; upstream: string })[] | null {
  const found = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [name = "", upstream] = line.split("=").map((part) => part.trim());
      return upstream === undefined ? name : { name, upstream };
    });
  return found.length === 0 ? null : found;
}
