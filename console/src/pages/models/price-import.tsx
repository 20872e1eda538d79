import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { count } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { MODEL_TEXTS } from "./texts.ts";

type Plan = Schemas["CatalogPlan"];

const SHOWN_ROWS = 100;

/** A price list: the plan of what it changes, then its application if the plan still holds. */
export function PriceImport({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(MODEL_TEXTS);
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [providers, setProviders] = useState("");
  const [isJson, setJson] = useState(true);
  const plan = hooks.useMutation("post", "/api/catalog/plan", { onError: () => undefined });
  const apply = hooks.useMutation("post", "/api/catalog", {
    onError: () => undefined,
    async onSuccess() {
      toast(t.applied);
      onClose();
      await client.invalidateQueries();
    },
  });
  const change = (next: () => void): void => {
    plan.reset();
    apply.reset();
    setJson(true);
    next();
  };
  const check = (): void => {
    const body = bodyOf(text, providers);
    setJson(body !== undefined);
    if (body !== undefined) plan.mutate({ body } as never);
  };
  const found = plan.data?.data;
  const error = plan.error ?? apply.error;
  const hasChanges = found !== undefined && found.added.length + found.changed.length > 0;
  return (
    <Dialog
      shape="wide"
      title={t.importPrices}
      onClose={onClose}
      actions={
        <>
          <Button disabled={text.trim() === ""} busy={plan.isPending} onClick={check}>
            {t.plan}
          </Button>
          <Button
            look="main"
            disabled={!hasChanges}
            busy={apply.isPending}
            onClick={() =>
              apply.mutate({
                params: { query: { plan: found?.plan } },
                body: bodyOf(text, providers),
              } as never)
            }
          >
            {t.apply}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-muted text-sm">{t.importHint}</p>
        <TextField
          label={t.importFile}
          type="file"
          accept=".json,application/json"
          className="py-1"
          onChange={({ target }) => {
            void target.files?.[0]?.text().then((read) => change(() => setText(read)));
          }}
        />
        <TextArea
          label={t.importText}
          rows={6}
          spellCheck={false}
          className="font-mono text-xs"
          error={isJson ? undefined : t.notJson}
          value={text}
          onChange={({ target }) => change(() => setText(target.value))}
        />
        <TextField
          label={t.providers}
          value={providers}
          onChange={({ target }) => change(() => setProviders(target.value))}
        />
        {error !== null && <Problem error={error} />}
        {found !== undefined && <PlanView plan={found} />}
      </div>
    </Dialog>
  );
}

function PlanView({ plan }: { readonly plan: Plan }) {
  const t = useTexts(MODEL_TEXTS);
  const { added, changed, unchanged, left_out: left, format } = plan;
  const more = added.length + changed.length - SHOWN_ROWS;
  return (
    <Section title={t.plan}>
      <p className="text-sm">
        {t.planCounts(
          count(added.length),
          count(changed.length),
          count(unchanged),
          count(left.length),
        )}
        {format !== null && ` · ${t.planFormat(format)}`}
      </p>
      <p className="text-muted flex min-w-0 items-center gap-1 text-xs">
        {t.planDigest}: <span className="truncate font-mono">{plan.plan}</span>
        <CopyButton text={plan.plan} />
      </p>
      {added.length + changed.length === 0 ? (
        <p className="text-sm">{t.planNothing}</p>
      ) : (
        <ul className="border-line divide-line divide-y rounded-md border text-sm">
          {added.slice(0, SHOWN_ROWS).map(({ provider, id }) => (
            <li key={`new ${provider} ${id}`} className="flex items-center gap-2 px-3 py-1">
              <Badge tone="good">{t.planNew}</Badge>
              <span className="text-muted">{provider}</span> {id}
            </li>
          ))}
          {changed
            .slice(0, Math.max(0, SHOWN_ROWS - added.length))
            .map(({ provider, id, field, before, after }) => (
              <li key={`${provider} ${id} ${field}`} className="px-3 py-1 break-words">
                <span className="text-muted">{provider}</span> {id}{" "}
                <span className="font-mono text-xs">
                  {field}: <del className="text-bad">{before ?? "–"}</del>{" "}
                  <ins className="text-good no-underline">{after ?? "–"}</ins>
                </span>
              </li>
            ))}
        </ul>
      )}
      {more > 0 && <p className="text-muted text-xs">{t.planMore(count(more))}</p>}
      {left.length > 0 && (
        <details className="text-sm">
          <summary>
            {t.planLeft} ({count(left.length)})
          </summary>
          <ul className="text-muted mt-1 text-xs">
            {left.slice(0, SHOWN_ROWS).map(({ provider, id, why }) => (
              <li key={`${provider} ${id} ${why}`}>
                {provider} {id}: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

/** What the API takes: files of facts as they are, and any other list as it was published. */
function bodyOf(text: string, providers: string): object | undefined {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given !== "object" || given === null) return undefined;
    if ("files" in given) return given;
    const files: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (files.length > 0 && files.every(isFacts)) return { files };
    const chosen = providers.split(",").map((each) => each.trim());
    const named = chosen.filter((each) => each !== "");
    return { list: given, ...(named.length === 0 ? {} : { providers: named }) };
  } catch {
    return undefined;
  }
}

/** A file of the catalogue names its provider, the day and its models. */
function isFacts(file: unknown): boolean {
  return (
    typeof file === "object" &&
    file !== null &&
    "date" in file &&
    "models" in file &&
    Array.isArray(file.models)
  );
}
