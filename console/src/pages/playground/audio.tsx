import { useEffect, useState } from "react";
import { useTexts } from "../../app/language.ts";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ModelField } from "./model-field.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";
import { Trial, useTrial } from "./trial.tsx";

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
  const [model, setModel] = useState("");
  const [input, setInput] = useState("");
  const [voice, setVoice] = useState("alloy");
  const request = { model, input, voice };
  const speak = useTrial(async (response) => URL.createObjectURL(await response.blob()));
  const url = speak.data?.answer;
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url]);
  return (
    <Trial
      title={t.speak}
      action={t.speak}
      onSend={() => speak.mutate({ path: "/v1/audio/speech", body: request })}
      trial={speak}
      request={request}
      raw={null}
      fields={
        <>
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
        </>
      }
    >
      {/* What it says is the text beside it. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      {url !== undefined && (
        <audio controls src={url} aria-label={t.recording} className="w-full" />
      )}
    </Trial>
  );
}

interface Transcript {
  readonly text?: string;
}

function Transcription() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [model, setModel] = useState("");
  const [file, setFile] = useState<File>();
  const transcribe = useTrial(async (response) => (await response.json()) as Transcript);
  const send = (): void => {
    const body = new FormData();
    body.set("model", model);
    if (file !== undefined) body.set("file", file);
    transcribe.mutate({ path: "/v1/audio/transcriptions", body });
  };
  return (
    <Trial
      title={t.transcribe}
      action={t.transcribe}
      onSend={send}
      trial={transcribe}
      request={{ model, file: file?.name }}
      raw={transcribe.data?.answer}
      fields={
        <>
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
        </>
      }
    >
      <p className="break-words whitespace-pre-wrap">{transcribe.data?.answer.text}</p>
    </Trial>
  );
}
