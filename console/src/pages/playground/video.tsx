import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { askModel } from "./model-client.ts";
import { ModelField } from "./model-field.tsx";
import { Pictures } from "./pictures.tsx";
import { usePlaygroundKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";
import { Trial, useTrial } from "./trial.tsx";

interface Task {
  readonly task_id: string;
  readonly status: string;
  readonly progress?: number;
  readonly error?: { readonly message?: string };
}

const POLL_MS = 5_000;
const STATES = ["queued", "processing", "succeeded", "failed", "canceled"] as const;
type State = (typeof STATES)[number];
const TONES: Record<State, Tone> = {
  queued: "neutral",
  processing: "info",
  succeeded: "good",
  failed: "bad",
  canceled: "warn",
};

/** Makes a video and follows its task. The task is in the address, so that a reload finds it. */
export function Video() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
  const [params, setParams] = useQueryState();
  const model = params.get("model") ?? "";
  const id = params.get("task") ?? undefined;
  const [prompt, setPrompt] = useState("");
  const [seconds, setSeconds] = useState("5");
  const [images, setImages] = useState<readonly string[]>([]);
  const [image] = images;
  const request = {
    model,
    prompt,
    ...(seconds === "" ? {} : { duration: Number(seconds) }),
    ...(image === undefined ? {} : { image }),
  };
  const create = useTrial(async (response) => {
    const task = (await response.json()) as Task;
    setParams({ task: task.task_id });
    return task;
  });
  const task = useQuery({
    queryKey: ["playground task", id],
    enabled: key !== undefined && id !== undefined,
    refetchInterval: ({ state: { data } }) => (isFinished(data?.status) ? false : POLL_MS),
    queryFn: async () => {
      const { response } = await askModel({
        key: key?.secret ?? "",
        path: `/v1/video/generations/${id}`,
        body: undefined,
      });
      return (await response.json()) as Task;
    },
  });
  const shown = task.data ?? create.data?.answer;
  const state = STATES.find((each) => each === shown?.status);
  return (
    <Trial
      title={model || t.result}
      action={t.create}
      onSend={() => create.mutate({ path: "/v1/video/generations", body: request })}
      trial={{ ...create, error: create.error ?? task.error }}
      request={request}
      raw={shown}
      fields={
        <>
          <ModelField
            label={t.model}
            required
            value={model}
            makes="video"
            onChange={(next) => setParams({ model: next })}
          />
          <TextArea
            label={t.prompt}
            required
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
          <TextField
            label={t.seconds}
            type="number"
            min={1}
            max={60}
            value={seconds}
            onChange={(event) => setSeconds(event.target.value)}
          />
          <Pictures images={images} onChange={setImages} />
        </>
      }
    >
      {shown !== undefined && (
        <p className="flex items-center gap-2" aria-live="polite">
          <Badge tone={state === undefined ? "neutral" : TONES[state]}>
            {state === undefined ? shown.status : t.states[state]}
          </Badge>
          <span className="text-muted font-mono text-xs">{shown.task_id}</span>
          {shown.progress !== undefined && !isFinished(shown.status) && (
            <progress max={100} value={shown.progress} aria-label={t.progress} />
          )}
        </p>
      )}
      {shown?.error?.message !== undefined && <p className="text-bad">{shown.error.message}</p>}
      {shown?.status === "succeeded" && <VideoFile id={shown.task_id} secret={key?.secret ?? ""} />}
    </Trial>
  );
}

/** Read through the gateway's content proxy: the page loads nothing from vendors. */
function VideoFile({ id, secret }: { readonly id: string; readonly secret: string }) {
  const t = useTexts(PLAYGROUND_TEXTS);
  const file = useQuery({
    queryKey: ["playground video", id],
    staleTime: Infinity,
    queryFn: async () => {
      const { response } = await askModel({
        key: secret,
        path: `/v1/videos/${id}/content`,
        body: undefined,
      });
      return URL.createObjectURL(await response.blob());
    },
  });
  if (file.data === undefined) return null;
  // What it shows is described by the prompt beside it.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  return <video controls src={file.data} aria-label={t.video} className="max-h-96 rounded-sm" />;
}

function isFinished(status: string | undefined): boolean {
  return status === "succeeded" || status === "failed" || status === "canceled";
}
