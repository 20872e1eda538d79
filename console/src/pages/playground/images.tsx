import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { TextArea, TextField } from "../../ui/field.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { ModelField } from "./model-field.tsx";
import { Pictures } from "./pictures.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";
import { Trial, useTrial } from "./trial.tsx";

interface Made {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

/** Makes pictures, or edits the attached ones. */
export function Images() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [params, setParams] = useQueryState();
  const model = params.get("model") ?? "";
  const [prompt, setPrompt] = useState("");
  const [size, setSize] = useState("");
  const [sources, setSources] = useState<readonly string[]>([]);
  const common = { model, prompt, ...(size === "" ? {} : { size }) };
  const request =
    sources.length === 0
      ? common
      : { ...common, images: sources.map((image_url) => ({ image_url })) };
  const path = sources.length === 0 ? "/openai/v1/images/generations" : "/openai/v1/images/edits";
  const make = useTrial(async (response) => (await response.json()) as Made);
  return (
    <Trial
      title={model || t.result}
      action={t.create}
      onSend={() => make.mutate({ path, body: request })}
      trial={make}
      request={request}
      raw={make.data?.answer}
      fields={
        <>
          <ModelField
            label={t.model}
            required
            value={model}
            makes="image"
            onChange={(next) => setParams({ model: next })}
          />
          <TextArea
            label={t.prompt}
            required
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
          <TextField
            label={t.size}
            placeholder="1024x1024"
            value={size}
            onChange={(event) => setSize(event.target.value)}
          />
          <Pictures images={sources} onChange={setSources} />
          {sources.length > 0 && <p className="text-muted text-xs">{t.editHint}</p>}
        </>
      }
    >
      <div className="flex flex-wrap gap-3">
        {make.data?.answer.data.map(({ url, b64_json }, at) => (
          <img
            key={at}
            src={url ?? `data:image/png;base64,${b64_json}`}
            alt={t.picture(at + 1)}
            className="border-line max-h-96 rounded-sm border"
          />
        ))}
      </div>
    </Trial>
  );
}
