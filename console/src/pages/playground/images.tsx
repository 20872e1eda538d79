import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel } from "./model-client.ts";
import { ModelField } from "./model-field.tsx";
import { Pictures } from "./pictures.tsx";
import { usePlaygroundKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

interface Made {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

/** Makes pictures, or edits the attached ones. */
export function Images() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
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
  const make = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const path =
        sources.length === 0 ? "/openai/v1/images/generations" : "/openai/v1/images/edits";
      const { response, facts } = await askModel({ key: key?.secret ?? "", path, body: request });
      return { made: (await response.json()) as Made, facts };
    },
  });
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
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
        <Button type="submit" look="main" disabled={key === undefined} busy={make.isPending}>
          {t.create}
        </Button>
      </form>
      <ExchangeView
        title={model || t.result}
        request={request}
        raw={make.data?.made}
        facts={make.data?.facts}
        error={make.error ?? undefined}
      >
        <div className="flex flex-wrap gap-3">
          {make.data?.made.data.map(({ url, b64_json }, at) => (
            <img
              key={at}
              src={url ?? `data:image/png;base64,${b64_json}`}
              alt={t.picture(at + 1)}
              className="border-line max-h-96 rounded-sm border"
            />
          ))}
        </div>
      </ExchangeView>
    </div>
  );
}
