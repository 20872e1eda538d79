import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { curlOf } from "../../api/curl.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { accessOf, exampleOf, type ApiDocument, type Listed, type Schema } from "./document.ts";
import { DOCS_TEXTS } from "./texts.ts";

interface TryItProps {
  readonly operation: Listed;
  readonly document: ApiDocument;
  readonly body: Schema | undefined;
}

const MAX_SHOWN_CHARS = 200_000;

/** Sends the request for real: management with the session, models with a key. */
export function TryIt({ operation, document, body }: TryItProps) {
  const t = useTexts(DOCS_TEXTS);
  const { method, path, parameters = [] } = operation;
  const needsKey = accessOf(operation) === "key";
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [key, setKey] = useState("");
  const [text, setText] = useState(() =>
    body === undefined ? "" : JSON.stringify(exampleOf(body, document), undefined, 2),
  );
  const asked = parameters.filter((each) => each.in === "path" || each.in === "query");
  const url = asked
    .filter((each) => each.in === "path")
    .reduce(
      (all, { name }) => all.replace(`{${name}}`, encodeURIComponent(values[name] ?? "")),
      path,
    );
  const query = Object.fromEntries(
    asked
      .filter((each) => each.in === "query" && values[each.name])
      .map(({ name }) => [name, values[name]]),
  );
  const json = parse(text);
  const send = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const search = new URLSearchParams(query as Record<string, string>);
      const from = performance.now();
      const response = await fetch(`${url}${search.size === 0 ? "" : `?${search}`}`, {
        method,
        credentials: needsKey ? "omit" : "same-origin",
        headers: {
          ...(needsKey ? { authorization: `Bearer ${key}` } : {}),
          ...(text === "" ? {} : { "content-type": "application/json" }),
        },
        ...(text === "" ? {} : { body: text }),
      });
      const answer = (await response.text()).slice(0, MAX_SHOWN_CHARS);
      return {
        status: response.status,
        ms: Math.round(performance.now() - from),
        text: pretty(answer),
      };
    },
  });
  const isWrong = text !== "" && json === undefined;
  const command = curlOf({
    method: method as "GET",
    path: url,
    query,
    ...(json === undefined ? {} : { body: json }),
  });
  return (
    <Section title={t.tryIt}>
      <p className="text-muted text-sm">{t.sends}</p>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        {needsKey && (
          <TextField
            label={t.key}
            type="password"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {asked.map(({ name, in: place, required = false }) => (
            <TextField
              key={name}
              label={place === "path" ? t.pathField(name) : name}
              required={required}
              value={values[name] ?? ""}
              onChange={(event) =>
                setValues((before) => ({ ...before, [name]: event.target.value }))
              }
            />
          ))}
        </div>
        {body !== undefined && (
          <TextArea
            label={t.body}
            rows={10}
            spellCheck={false}
            className="font-mono text-xs"
            error={isWrong ? t.invalid : undefined}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <div>
          <Button type="submit" look="main" busy={send.isPending} disabled={isWrong}>
            {t.send}
          </Button>
        </div>
      </form>
      <Code
        text={needsKey ? command.replace("$SLUICE_TOKEN", "$SLUICE_KEY") : command}
        label={t.as}
      />
      {send.error !== null && <Problem error={send.error} />}
      {send.data !== undefined && (
        <div aria-live="polite">
          <p className="figures text-sm">
            {t.answer}: {send.data.status}, {send.data.ms} ms
          </p>
          <pre
            tabIndex={0}
            className="bg-surface border-line mt-1 max-h-96 overflow-auto rounded-md border p-3 font-mono text-xs whitespace-pre-wrap break-words"
          >
            {send.data.text}
          </pre>
        </div>
      )}
    </Section>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pretty(text: string): string {
  const json = parse(text);
  return json === undefined ? text : JSON.stringify(json, undefined, 2);
}
