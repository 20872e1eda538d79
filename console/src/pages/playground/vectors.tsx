import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel } from "./model-client.ts";
import { ModelField } from "./model-field.tsx";
import { usePlaygroundKey } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

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
  const key = usePlaygroundKey();
  const [model, setModel] = useState("");
  const [text, setText] = useState("");
  const input = linesOf(text);
  const embed = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const { response, facts } = await askModel({
        key: key?.secret ?? "",
        path: "/v1/embeddings",
        body: { model, input },
      });
      return { input, answer: (await response.json()) as Embedded, facts };
    },
  });
  const vectors = embed.data?.answer.data.map(({ embedding }) => embedding) ?? [];
  const [first] = vectors;
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          embed.mutate();
        }}
      >
        <ModelField label={t.model} required value={model} onChange={setModel} />
        <TextArea
          label={t.inputs}
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" look="main" disabled={key === undefined} busy={embed.isPending}>
          {t.embed}
        </Button>
      </form>
      <ExchangeView
        title={t.embed}
        request={{ model, input }}
        raw={embed.data?.answer}
        facts={embed.data?.facts}
        error={embed.error ?? undefined}
      >
        {first !== undefined && (
          <>
            <p className="text-muted">
              {t.dimensions(first.length)}. {t.similarity}:
            </p>
            <ol className="figures">
              {vectors.map((vector, at) => (
                <li key={at} className="flex gap-3">
                  <span className="w-16 text-right">{cosine(first, vector).toFixed(4)}</span>
                  <span className="truncate">{embed.data?.input[at]}</span>
                </li>
              ))}
            </ol>
          </>
        )}
      </ExchangeView>
    </div>
  );
}

interface Ranked {
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
}

function Rerank() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
  const [model, setModel] = useState("");
  const [query, setQuery] = useState("");
  const [text, setText] = useState("");
  const documents = linesOf(text);
  const rank = useMutation({
    onError: () => undefined,
    mutationFn: async () => {
      const body = { model, query, documents };
      const { response, facts } = await askModel({
        key: key?.secret ?? "",
        path: "/v1/rerank",
        body,
      });
      return { documents, answer: (await response.json()) as Ranked, facts };
    },
  });
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          rank.mutate();
        }}
      >
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
        <Button type="submit" look="main" disabled={key === undefined} busy={rank.isPending}>
          {t.rank}
        </Button>
      </form>
      <ExchangeView
        title={t.rank}
        request={{ model, query, documents }}
        raw={rank.data?.answer}
        facts={rank.data?.facts}
        error={rank.error ?? undefined}
      >
        <ol className="figures">
          {rank.data?.answer.results.map(({ index, relevance_score }) => (
            <li key={index} className="flex gap-3">
              <span className="w-16 text-right">{relevance_score.toFixed(4)}</span>
              <span className="truncate">{rank.data.documents[index]}</span>
            </li>
          ))}
        </ol>
      </ExchangeView>
    </div>
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
