import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { milliseconds } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { UI_TEXTS } from "../../ui/texts.ts";
import { toast } from "../../ui/toast.tsx";
import { bodyOf, EMPTY_DRAFT, type NewChannel } from "./channel-draft.ts";
import { FieldGroups } from "./draft-fields.tsx";
import { FORM_TEXTS } from "./form-texts.ts";
import { ModelPicker } from "./model-picker.tsx";
import { useForm } from "./use-form.ts";
import { VENDORS } from "./vendors.ts";
import { VendorPicker } from "./vendor-picker.tsx";

interface AddChannelProps {
  /** The names of the channels, of which the new one has none. */
  readonly taken: readonly string[];
  readonly onSaved: (name: string, isTested: boolean) => void;
  readonly onClose: () => void;
}

/** Vendor, key, test, models: one screen. All other fields have defaults. */
export function AddChannel({ taken, onSaved, onClose }: AddChannelProps) {
  const t = useTexts(FORM_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const client = useQueryClient();
  const form = useForm(EMPTY_DRAFT);
  const { draft } = form;
  const [picked, setPicked] = useState<ReadonlySet<string>>();
  const test = hooks.useMutation("post", "/api/channel/draft-test", { onError: () => undefined });
  const create = hooks.useMutation("post", "/api/channel", {
    onSuccess({ data: { name } }) {
      void client.invalidateQueries({ queryKey: ["get", "/api/channel"] });
      toast(t.saved(name));
      onSaved(name, test.data?.data.ok === true);
    },
    onError: () => undefined,
  });
  const vendor = VENDORS.find(({ id }) => id === draft.vendor);
  const tested = test.data?.data;
  const isListed = tested !== undefined && tested.models.length > 0;
  const isReady =
    draft.vendor !== "" && (vendor?.needsAddress !== true || draft.address.trim() !== "");
  const body = (): NewChannel => ({
    ...bodyOf(draft),
    name: draft.name.trim() || freeName(draft.vendor, taken),
    ...(isListed && picked !== undefined ? { models: [...picked] } : {}),
  });
  const runTest = (): void => {
    setPicked(undefined);
    if (form.isValid()) test.mutate({ body: body() });
  };
  const save = (): void => {
    if (form.isValid()) create.mutate({ body: body() });
  };
  return (
    <Dialog
      shape="wide"
      title={t.new}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            look={tested?.ok === true ? "plain" : "main"}
            type="submit"
            form="channel-form"
            disabled={!isReady}
            busy={test.isPending}
          >
            {test.isPending ? t.testing : t.test}
          </Button>
          <Button
            look={tested?.ok === true ? "main" : "plain"}
            disabled={!isReady || (isListed && picked?.size === 0)}
            busy={create.isPending}
            onClick={save}
          >
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
          runTest();
        }}
      >
        {create.error !== null && <Problem error={create.error} />}
        <VendorPicker
          value={draft.vendor}
          onChange={(id) => {
            form.set("vendor", id);
            form.set("options", VENDORS.find((each) => each.id === id)?.options ?? "");
            test.reset();
          }}
        />
        {draft.vendor !== "" && (
          <TextField
            key={draft.vendor}
            label={t.key}
            hint={t.keyHint}
            type="password"
            autoComplete="off"
            // The vendor was chosen: the next step is to paste its key.
            autoFocus
            value={draft.key}
            onChange={(event) => form.set("key", event.target.value)}
          />
        )}
        {vendor?.needsAddress === true && (
          <TextField
            label={t.fields.address}
            type="url"
            required
            value={draft.address}
            onChange={(event) => form.set("address", event.target.value)}
          />
        )}
        {test.error !== null && <Problem error={test.error} />}
        {tested?.probes.map(({ credential, ok, latency_ms, message, fault }) => (
          <p
            key={credential}
            className="flex flex-wrap items-center gap-2 text-sm"
            aria-live="polite"
          >
            <Badge tone={ok ? "good" : "bad"}>{credential}</Badge>
            {ok ? t.good(milliseconds(latency_ms)) : (message ?? fault)}
          </p>
        ))}
        {tested?.trouble === "not_tested" && <p className="text-sm">{t.notListed}</p>}
        {isListed && (
          <ModelPicker
            models={tested.models}
            total={tested.models_total}
            picked={picked}
            onChange={setPicked}
          />
        )}
        {isListed && picked?.size === 0 && <p className="text-bad text-xs">{t.tickOne}</p>}
        {draft.vendor !== "" && <FieldGroups form={form} />}
        {tested === undefined && <p className="text-muted text-xs">{t.testHint}</p>}
      </form>
    </Dialog>
  );
}

/** The vendor's name, with a number if a channel has it. */
function freeName(vendor: string, taken: readonly string[]): string {
  let name = vendor;
  for (let number = 2; taken.includes(name); number++) name = `${vendor}-${number}`;
  return name;
}
