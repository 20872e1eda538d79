import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel } from "./model-client.ts";
import { ModelField } from "./model-field.tsx";
import { usePlaygroundKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

/** Speech from a text, and a text from speech. */
export function Audio() {
  return (
    <div className="flex flex-col gap-6">
      <Speech />
      <Transcription />
    </div>
  );
}

function Speech() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
  const [model, setModel] = useState("");
  const [input, setInput] = useState("");
  const [voice, setVoice] = useState("alloy");
  const request = { model, input, voice };
  const speak = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const { response, facts } = await askModel({
        key: key?.secret ?? "",
        path: "/v1/audio/speech",
        body: request,
      });
      return { url: URL.createObjectURL(await response.blob()), facts };
    },
  });
  const url = speak.data?.url;
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url]);
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          speak.mutate();
        }}
      >
        <ModelField label={t.model} required value={model} onChange={setModel} />
        <TextArea
          label={t.speakText}
          required
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
        <TextField
          label={t.voice}
          value={voice}
          onChange={(event) => setVoice(event.target.value)}
        />
        <Button type="submit" look="main" disabled={key === undefined} busy={speak.isPending}>
          {t.speak}
        </Button>
      </form>
      <ExchangeView
        title={t.speak}
        request={request}
        raw={null}
        facts={speak.data?.facts}
        error={speak.error ?? undefined}
      >
        {/* What it says is the text beside it. */}
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
        {url !== undefined && (
          <audio controls src={url} aria-label={t.recording} className="w-full" />
        )}
      </ExchangeView>
    </div>
  );
}

function Transcription() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
  const [model, setModel] = useState("");
  const [file, setFile] = useState<File>();
  const transcribe = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const body = new FormData();
      body.set("model", model);
      if (file !== undefined) body.set("file", file);
      const { response, facts } = await askModel({
        key: key?.secret ?? "",
        path: "/v1/audio/transcriptions",
        body,
      });
      return { answer: (await response.json()) as { readonly text?: string }, facts };
    },
  });
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          transcribe.mutate();
        }}
      >
        <ModelField label={t.model} required value={model} onChange={setModel} />
        <label className="flex flex-col gap-1 text-sm font-medium">
          {t.recording}
          <input
            type="file"
            accept="audio/*,video/*"
            required
            className="text-sm font-normal"
            onChange={(event) => setFile(event.target.files?.[0])}
          />
        </label>
        <Button type="submit" look="main" disabled={key === undefined} busy={transcribe.isPending}>
          {t.transcribe}
        </Button>
      </form>
      <ExchangeView
        title={t.transcribe}
        request={{ model, file: file?.name }}
        raw={transcribe.data?.answer}
        facts={transcribe.data?.facts}
        error={transcribe.error ?? undefined}
      >
        <p className="break-words whitespace-pre-wrap">{transcribe.data?.answer.text}</p>
      </ExchangeView>
    </div>
  );
}
