import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTING_TEXTS } from "./texts.ts";

type Plan = Schemas["ConfigurationPlan"];
type Change = Plan["changes"][number];

const TONES: Record<Change["action"], Tone> = {
  create: "good",
  change: "info",
  delete: "bad",
  nothing: "neutral",
};
/** The document is a text, in place of the client's JSON. */
const AS_YAML = {
  headers: { "content-type": "application/yaml" },
  bodySerializer: (body: string) => body,
};

/** The stored configuration as YAML: a plan of what a changed document does, then its application. */
export function ConfigurationDocument() {
  const t = useTexts(SETTING_TEXTS);
  const client = useQueryClient();
  const [yaml, setYaml] = useState("");
  const [loadError, setLoadError] = useState<unknown>();
  const plan = hooks.useMutation("post", "/api/config/plan", { onError: () => undefined });
  const apply = hooks.useMutation("post", "/api/config/apply", {
    onError: () => undefined,
    async onSuccess() {
      toast(t.applied);
      plan.reset();
      await client.invalidateQueries();
    },
  });
  const load = async (): Promise<void> => {
    try {
      const { data } = await api.GET("/api/config", { parseAs: "text" });
      setYaml(data ?? "");
      setLoadError(undefined);
    } catch (error) {
      setLoadError(error);
    }
  };
  useEffect(() => void load(), []);
  const found = plan.data?.data;
  const changes = found?.changes.filter(({ action }) => action !== "nothing") ?? [];
  const error = loadError ?? plan.error ?? apply.error;
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="text-muted text-sm">{t.documentHint}</p>
        <TextArea
          label={t.yaml}
          rows={28}
          spellCheck={false}
          className="font-mono text-xs leading-5 whitespace-pre"
          value={yaml}
          onChange={(event) => {
            setYaml(event.target.value);
            plan.reset();
          }}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            look="main"
            busy={plan.isPending}
            onClick={() => plan.mutate({ body: yaml, ...AS_YAML } as never)}
          >
            {t.plan}
          </Button>
          <Button onClick={() => void load()}>{t.load}</Button>
          <a
            download="sluice.yaml"
            href={`data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`}
            className="border-line bg-surface hover:bg-hover inline-flex h-8 items-center rounded-md border px-2.5 text-sm font-medium"
          >
            {t.download}
          </a>
        </div>
      </div>
      <div className="min-w-0 lg:w-[28rem]">
        {error !== undefined && error !== null && <Problem error={error} />}
        {found !== undefined && (
          <Section
            title={t.planTitle}
            actions={
              changes.length > 0 && (
                <Button
                  look="main"
                  busy={apply.isPending}
                  onClick={() =>
                    apply.mutate({
                      params: { query: { plan: found.digest } },
                      body: yaml,
                      ...AS_YAML,
                    } as never)
                  }
                >
                  {t.apply}
                </Button>
              )
            }
          >
            {changes.length === 0 ? (
              <p className="text-sm">{t.nothing}</p>
            ) : (
              <Changes changes={changes} />
            )}
          </Section>
        )}
      </div>
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  const t = useTexts(SETTING_TEXTS);
  return (
    <ul className="border-line divide-line bg-surface divide-y rounded-md border text-sm">
      {changes.map(({ section, name, action, fields }) => (
        <li key={`${section} ${name}`} className="flex flex-col gap-1 px-3 py-2">
          <span className="flex items-center gap-2">
            <Badge tone={TONES[action]}>{t.actions[action]}</Badge>
            <span className="text-muted">{section}</span>
            <span className="truncate font-medium">{name}</span>
          </span>
          {fields.map(({ field, before, after }) => (
            <span key={field} className="font-mono text-xs break-all">
              {field}: <del className="text-bad">{JSON.stringify(before)}</del>{" "}
              <ins className="text-good no-underline">{JSON.stringify(after)}</ins>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
