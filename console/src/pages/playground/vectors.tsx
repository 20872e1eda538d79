import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ModelField } from "./model-field.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";
import { Trial, useTrial } from "./trial.tsx";

/** Vectors of texts, and documents in the order of a query. */
export function Vectors() {
  return (
    <div className="flex flex-col gap-6">
      <Embeddings />
      <Rerank />
    </div>
  );
}

interface Embedded {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

function Embeddings() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [model, setModel] = useState("");
  const [text, setText] = useState("");
  const input = linesOf(text);
  const request = { model, input };
  const embed = useTrial(async (response) => (await response.json()) as Embedded);
  const asked = embed.variables?.body as typeof request | undefined;
  const vectors = embed.data?.answer.data.map(({ embedding }) => embedding) ?? [];
  const [first] = vectors;
  return (
    <Trial
      title={t.embed}
      action={t.embed}
      onSend={() => embed.mutate({ path: "/v1/embeddings", body: request })}
      trial={embed}
      request={request}
      raw={embed.data?.answer}
      fields={
        <>
          <ModelField label={t.model} required value={model} onChange={setModel} />
          <TextArea
            label={t.inputs}
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      }
    >
      {first !== undefined && (
        <>
          <p className="text-muted">
            {t.dimensions(first.length)}. {t.similarity}:
          </p>
          <Scored
            rows={vectors.map((vector, at) => ({
              score: cosine(first, vector),
              text: asked?.input[at],
            }))}
          />
        </>
      )}
    </Trial>
  );
}

interface Ranked {
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
}

function Rerank() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [model, setModel] = useState("");
  const [query, setQuery] = useState("");
  const [text, setText] = useState("");
  const request = { model, query, documents: linesOf(text) };
  const rank = useTrial(async (response) => (await response.json()) as Ranked);
  const asked = rank.variables?.body as typeof request | undefined;
  const results = rank.data?.answer.results ?? [];
  return (
    <Trial
      title={t.rank}
      action={t.rank}
      onSend={() => rank.mutate({ path: "/v1/rerank", body: request })}
      trial={rank}
      request={request}
      raw={rank.data?.answer}
      fields={
        <>
          <ModelField label={t.model} required value={model} onChange={setModel} />
          <TextField
            label={t.query}
            required
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <TextArea
            label={t.documents}
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      }
    >
      <Scored
        rows={results.map(({ index, relevance_score: score }) => ({
          score,
          text: asked?.documents[index],
        }))}
      />
    </Trial>
  );
}

function Scored({
  rows,
}: {
  readonly rows: readonly { readonly score: number; readonly text: string | undefined }[];
}) {
  return (
    <ol className="figures">
      {rows.map(({ score, text }, at) => (
        <li key={at} className="flex gap-3">
          <span className="w-16 text-right">{score.toFixed(4)}</span>
          <span className="truncate">{text}</span>
        </li>
      ))}
    </ol>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    dot += value * other;
    ofA += value * value;
    ofB += other * other;
  }
  return dot / (Math.sqrt(ofA * ofB) || 1);
}
