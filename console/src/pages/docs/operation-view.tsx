import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import {
  accessOf,
  resolve,
  typeOf,
  type ApiDocument,
  type Listed,
  type Parameter,
  type Schema,
} from "./document.ts";
import { DOCS_TEXTS } from "./texts.ts";
import { TryIt } from "./try-it.tsx";

interface OperationViewProps {
  readonly operation: Listed;
  readonly document: ApiDocument;
}

export function OperationView({ operation, document }: OperationViewProps) {
  const t = useTexts(DOCS_TEXTS);
  const { parameters = [], requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return (
    <article className="flex flex-col gap-5 pb-8">
      <header>
        <p className="font-mono text-sm break-all">
          <Badge tone="info">{operation.method}</Badge> {operation.path}
        </p>
        <p className="mt-2">{operation.summary}</p>
        <p className="text-muted mt-1 text-sm">
          {t.access}: {t.accesses[accessOf(operation)]}
        </p>
      </header>
      {parameters.length > 0 && (
        <Section title={t.parameters}>
          <Parameters parameters={parameters} />
        </Section>
      )}
      {body !== undefined && (
        <Section title={t.body}>
          <Fields schema={body} document={document} depth={0} />
        </Section>
      )}
      <TryIt operation={operation} document={document} body={body} />
      <Section title={t.answers}>
        {Object.entries(responses).map(([status, answer]) => {
          const schema = Object.values(answer.content ?? {})[0]?.schema;
          return (
            <details key={status} className="border-line rounded-md border px-3 py-1.5 text-sm">
              <summary>
                <code>{status}</code> {answer.description}
              </summary>
              {schema !== undefined && <Fields schema={schema} document={document} depth={0} />}
            </details>
          );
        })}
      </Section>
    </article>
  );
}

function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }) {
  const t = useTexts(DOCS_TEXTS);
  return (
    <dl className="border-line divide-line bg-surface divide-y rounded-md border text-sm">
      {parameters.map(({ name, in: place, required = false, description, schema }) => (
        <div key={`${place} ${name}`} className="px-3 py-1.5">
          <dt className="font-mono text-xs">
            {name}{" "}
            <span className="text-muted">{`${place}, ${typeOf(schema)}${required ? `, ${t.required}` : ""}`}</span>
          </dt>
          <dd>{description ?? schema.description}</dd>
        </div>
      ))}
    </dl>
  );
}

const MAX_DEPTH = 5;

/** The fields of a schema; those of nested objects open below them. */
function Fields({
  schema,
  document,
  depth,
}: {
  readonly schema: Schema;
  readonly document: ApiDocument;
  readonly depth: number;
}) {
  const t = useTexts(DOCS_TEXTS);
  const known = innerOf(schema, document);
  const entries = Object.entries(known.properties ?? {});
  if (entries.length === 0) return <p className="font-mono text-xs">{typeOf(schema)}</p>;
  return (
    <dl className="border-line ml-1 border-l pl-3 text-sm">
      {entries.map(([name, field]) => {
        const inner = innerOf(field, document);
        const isNested = inner.properties !== undefined && depth < MAX_DEPTH;
        return (
          <div key={name} className="py-1">
            <dt className="font-mono text-xs">
              {name}{" "}
              <span className="text-muted">
                {typeOf(field)}
                {known.required?.includes(name) === true && `, ${t.required}`}
              </span>
            </dt>
            <dd>
              {field.description ?? inner.description}
              {isNested && (
                <details>
                  <summary className="text-accent text-xs">{typeOf(field)}</summary>
                  <Fields schema={inner} document={document} depth={depth + 1} />
                </details>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The object that a schema is, or that its list or its choice holds. */
function innerOf(schema: Schema, document: ApiDocument): Schema {
  const known = resolve(schema, document);
  if (known.properties !== undefined) return known;
  if (known.items !== undefined) return innerOf(known.items, document);
  const choice = (known.anyOf ?? known.oneOf ?? known.allOf ?? []).find(
    (each) => innerOf(each, document).properties !== undefined,
  );
  return choice === undefined ? known : innerOf(choice, document);
}
