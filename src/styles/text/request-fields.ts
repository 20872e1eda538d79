import type { ChatRequest, Sampling } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { isSameValue } from "#lib/same-value.ts";
import { defined, pick } from "#lib/values.ts";

/** The hub's request with the members of `sampling` beside the others. */
type FlatRequest = ChatRequest & Sampling;

/** Members that each style reads and writes by itself. `sampling` stands for its own members. */
type StructuralField =
  | "model"
  | "messages"
  | "stream"
  | "sampling"
  | "extra"
  | "rawFields"
  // Set by the relay, and never written.
  | "keepsReasoning";

/** A part of the hub's request that every style must carry, report as lost, or refuse. */
export type HubField = Exclude<keyof FlatRequest, StructuralField>;

type FieldValue<Field extends HubField> = NonNullable<FlatRequest[Field]>;

/** Hub fields by name; a field that the caller did not set is absent. */
type FieldValues = { -readonly [Field in HubField]?: FieldValue<Field> };

/** Members of a JSON body; `undefined` is the same as absent. */
export type Members = Readonly<Record<string, Json | undefined>>;

/** The members that a row writes into an outgoing request. */
export interface Built<Written = Members> {
  readonly members: Written;
  /** The parts of the field that they cannot say, under the names by which losses are reported. */
  readonly lost?: readonly string[];
}

interface WrittenField<Field extends HubField, Context, Written> {
  /** Of a style whose bodies are read, too: see `CarriedField`. */
  readonly members?: readonly string[];
  /** Members that carry it under names of the caller's choice. */
  readonly moreMembers?: (body: JsonObject) => readonly string[];
  readonly parse?: (body: JsonObject) => FieldValue<Field> | undefined;
  /** Is built anew for callers of the same style, too: some of what they may write is refused. */
  readonly isRebuilt?: true;
  readonly build: (value: FieldValue<Field>, context: Context) => Built<Written>;
}

/** Fields that only make sense together. The builder runs once for all of them, also if none is set. */
export interface WrittenGroup<Field extends HubField, Context, Written> {
  readonly fields: Readonly<Record<Field, true>>;
  readonly build: (request: ChatRequest, context: Context) => Built<Written>;
}

/** A field that the upstream has no place for. It is left out and reported. */
export interface LostField<Field extends HubField> {
  readonly lost: {
    /** The name that the report shows. */
    readonly as: string;
    /** Values that change nothing: they are left out without a report. */
    readonly unless?: (value: FieldValue<Field>) => boolean;
  };
}

/** A field without which the answer would be to another question: the request is refused. */
interface RefusedField<Field extends HubField> {
  readonly refused: {
    readonly as: string;
    readonly why: (value: FieldValue<Field>) => string;
    readonly unless?: (value: FieldValue<Field>) => boolean;
  };
}

type WrittenRow<Field extends HubField, Context, Written> =
  | WrittenField<Field, Context, Written>
  | { readonly group: WrittenGroup<Field, Context, Written> }
  | LostField<Field>
  | RefusedField<Field>;

/**
 * How an upstream interface treats each field of the hub. A field without a
 * row does not compile, so no field can be dropped in silence.
 */
export type WrittenTable<Context, Written> = {
  readonly [Field in HubField]: WrittenRow<Field, Context, Written>;
};

export interface CarriedField<Field extends HubField, Context> extends WrittenField<
  Field,
  Context,
  Members
> {
  /** The body's members that carry it. */
  readonly members: readonly string[];
  readonly parse: (body: JsonObject) => FieldValue<Field> | undefined;
  /** Further content of these members, for which the hub has no place. */
  readonly rest?: (body: JsonObject) => Members;
}

export interface CarriedGroup<Field extends HubField, Context> extends WrittenGroup<
  Field,
  Context,
  Members
> {
  readonly members: readonly string[];
  readonly parse: (body: JsonObject) => {
    readonly values: { readonly [Each in Field]?: FieldValue<Each> };
    /** As of a single field. */
    readonly rest?: Members;
  };
}

type FieldRow<Field extends HubField, Context> =
  | CarriedField<Field, Context>
  | { readonly group: CarriedGroup<Field, Context> }
  | LostField<Field>
  | RefusedField<Field>;

/** The same for a style, whose bodies are read as well as written. */
export type FieldTable<Context> = {
  readonly [Field in HubField]: FieldRow<Field, Context>;
};

/** A row for a member with the same meaning as the hub's field. */
export function member<Value extends Json>(
  name: string,
  read: (value: Json | undefined) => Value | undefined,
): {
  readonly members: readonly string[];
  readonly parse: (body: JsonObject) => Value | undefined;
  readonly build: (value: Value) => Built;
} {
  return {
    members: [name],
    parse: (body) => read(body[name]),
    build: (value) => ({ members: { [name]: value } }),
  };
}

/** Members of a body that no row reads. */
interface OtherMembers {
  /** Members that the style reads by itself: the model, the conversation. */
  readonly structural: readonly string[];
  /** Members that are kept as the caller wrote them. */
  readonly kept?: readonly string[];
  /** Content of these members for which the hub has no place. */
  readonly rest?: (body: JsonObject) => Members;
}

interface ReadFields {
  readonly fields: Pick<ChatRequest, "sampling"> & Omit<FieldValues, keyof Sampling>;
  /** The members that were read, as the caller wrote them. */
  readonly raw: JsonObject;
  /** Everything else: the hub has no place for it. */
  readonly rest: JsonObject | undefined;
}

/** Reads the fields of a style's bodies, row by row. */
export function fieldReader<Context>(
  table: FieldTable<Context>,
  { structural, kept = [], rest }: OtherMembers,
): (body: JsonObject) => ReadFields {
  const rows = fieldsIn(table).flatMap((field) => readingOf(table, field) ?? []);
  const taken = new Set(structural);
  const known = new Set([...kept, ...rows.flatMap(({ members }) => members)]);
  const namings = rows.flatMap(({ moreMembers }) => moreMembers ?? []);

  return (body) => {
    const more = namings.flatMap((namesIn) => namesIn(body));
    const raw: Record<string, Json> = {};
    const beside: Record<string, Json> = {};
    for (const name in body) {
      const value = body[name];
      if (value === undefined || value === null || name === "__proto__" || taken.has(name))
        continue;
      if (known.has(name) || more.includes(name)) raw[name] = value;
      else beside[name] = value;
    }
    const values: FieldValues = {};
    for (const row of rows) assignDefined(beside, row.read(body, values));
    assignDefined(beside, rest?.(body));
    const isAll = Object.keys(beside).length === 0;
    return { fields: nested(values), raw, rest: isAll ? undefined : beside };
  };
}

/** Parts of the context that the frame itself needs. */
export interface Writing {
  readonly report: LossReport;
  /** The caller's members, if the caller uses the style that is written now. */
  readonly raw: JsonObject | undefined;
}

/**
 * Writes the fields of a request, row by row. Members that the caller wrote in
 * the same style go out unchanged, unless the gateway changed their meaning.
 */
export function fieldWriter<Context extends Writing, Written extends object>(
  table: WrittenTable<Context, Written>,
): (request: ChatRequest, context: Context, into: Written) => void {
  const writers = fieldsIn(table).map((field) => writerOf(table, field));
  return (request, context, into) => {
    const flat: FlatRequest = { ...request.sampling, ...request };
    for (const write of writers) write(flat, context, into);
  };
}

/** The members that the caller wrote, if they still mean what the request says. */
export function preserveOriginal<Value>(
  raw: JsonObject | undefined,
  members: readonly string[],
  value: Value,
  parse: (body: JsonObject) => Value,
): Record<string, Json> | undefined {
  return raw !== undefined && isSameValue(parse(raw), value) ? pick(raw, members) : undefined;
}

type AnyTable = Readonly<Record<HubField, object>>;

/** The fields in the order of their rows; of a group only the first. */
function fieldsIn(table: AnyTable): readonly HubField[] {
  const groups = new Set<unknown>();
  return Object.keys(table)
    .filter((name): name is HubField => name in table)
    .filter((field) => {
      const { group }: { readonly group?: unknown } = table[field];
      const isSeen = group !== undefined && groups.has(group);
      groups.add(group);
      return !isSeen;
    });
}

/** One row, or one group of rows, as far as bodies are read by it. */
interface ReadResult {
  readonly members: readonly string[];
  readonly moreMembers?: (body: JsonObject) => readonly string[];
  /** Returns the content for which the hub has no place. */
  read(body: JsonObject, into: FieldValues): Members | undefined;
}

function readingOf<Field extends HubField, Context>(
  table: FieldTable<Context>,
  field: Field,
): ReadResult | undefined {
  const row: FieldRow<Field, Context> = table[field];
  if ("group" in row) {
    const { members, parse } = row.group;
    const read: ReadResult["read"] = (body, into) => {
      const { values, rest } = parse(body);
      Object.assign(into, values);
      return rest;
    };
    return { members, read };
  }
  if (!("parse" in row)) return undefined;
  const { parse, rest, ...place } = row;
  const read: ReadResult["read"] = (body, into) => {
    const value = parse(body);
    if (value !== undefined) into[field] = value;
    return rest?.(body);
  };
  return { ...place, read };
}

function assignDefined(into: Record<string, Json>, members: Members | undefined): void {
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) into[name] = value;
  }
}

type Step<Context, Written> = (request: FlatRequest, context: Context, into: Written) => void;

function writerOf<Field extends HubField, Context extends Writing, Written extends object>(
  table: WrittenTable<Context, Written>,
  field: Field,
): Step<Context, Written> {
  const row: WrittenRow<Field, Context, Written> = table[field];
  if ("group" in row) {
    return (request, context, into) => put(row.group.build(request, context), context, into);
  }
  if ("build" in row) {
    return (request, context, into) => {
      const value: FieldValue<Field> | undefined = request[field] ?? undefined;
      const original = originalOf(row, value, context.raw);
      if (original !== undefined) Object.assign(into, original);
      else if (value !== undefined) put(row.build(value, context), context, into);
    };
  }
  return (request, { report }) => {
    const value: FieldValue<Field> | undefined = request[field] ?? undefined;
    if (value === undefined) return;
    if ("lost" in row) {
      if (row.lost.unless?.(value) !== true) report.lose(row.lost.as);
    } else if (row.refused.unless?.(value) !== true) {
      throw refuse(row.refused.as, row.refused.why(value));
    }
  };
}

function originalOf<Field extends HubField, Context, Written>(
  { members = [], moreMembers, parse, isRebuilt }: WrittenField<Field, Context, Written>,
  value: FieldValue<Field> | undefined,
  raw: JsonObject | undefined,
): JsonObject | undefined {
  if (raw === undefined || parse === undefined || isRebuilt === true) return undefined;
  const names = moreMembers === undefined ? members : [...members, ...moreMembers(raw)];
  return preserveOriginal(raw, names, value, parse);
}

function put<Written extends object>(
  built: Built<Written>,
  { report }: Writing,
  into: Written,
): void {
  const members = membersOf(built, report);
  for (const name in members) if (members[name] !== undefined) into[name] = members[name];
}

/** The members of a row that is written apart from its table; its losses are reported. */
export function membersOf<Written>({ members, lost }: Built<Written>, report: LossReport): Written {
  for (const field of lost ?? []) report.lose(field);
  return members;
}

function nested({
  temperature,
  topP,
  topK,
  presencePenalty,
  frequencyPenalty,
  seed,
  ...fields
}: FieldValues): ReadFields["fields"] {
  // A member of the hub's sampling that is missing here does not compile.
  const sampling: { readonly [Field in keyof Sampling]-?: Sampling[Field] | undefined } = {
    temperature,
    topP,
    topK,
    presencePenalty,
    frequencyPenalty,
    seed,
  };
  return { sampling: defined(sampling), ...fields };
}
