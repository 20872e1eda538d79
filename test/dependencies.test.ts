import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The most that one function may be given in one object. */
const MAX_MEMBERS = 12;

/** Types that only the composition root may hold as a whole. */
const JOINED = ["DepsBySubject", "Infrastructure", "Storage"];

interface Declaration {
  readonly path: string;
  readonly name: string;
  /** The text between `extends` or `=` and the body. */
  readonly parents: string;
  readonly body: string;
}

const FOLDERS = ["gateway", "http", "jobs", "relay"];
const files = readdirSync("src", { withFileTypes: true, recursive: true })
  .filter(({ name }) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path, text: withoutComments(readFileSync(path, "utf8")) }));

const declared = files.flatMap(({ path, text }) => declarationsIn(path, text));
const byName = new Map(declared.map((each) => [each.name, each]));
const dependencies = declared.filter(
  ({ path, name }) =>
    FOLDERS.some((folder) => path.startsWith(`src/${folder}/`)) &&
    (name.endsWith("Deps") || name === "Infrastructure"),
);

test("an interface of dependencies has few members", () => {
  expect(dependencies.length).toBeGreaterThan(40);
  const large = dependencies
    .map(({ path, name }) => ({ name, path, count: new Set(membersOf(name)).size }))
    .filter(({ count }) => count > MAX_MEMBERS)
    .map(({ name, path, count }) => `${path}: ${name} has ${count} members`);

  expect(large).toEqual([]);
});

test("inherited members are counted", () => {
  const own = membersIn(byName.get("TextDeps")?.body ?? "");

  expect(own).not.toContain("keptAnswers");
  expect(membersOf("TextDeps")).toContain("keptAnswers");
  expect(membersOf("SubmissionDeps")).toContain("taskLinker");
  expect(membersOf("AttemptDeps")).toEqual(expect.arrayContaining(["egress", "limiter"]));
  expect(membersOf("SubmitDeps")).toEqual(expect.arrayContaining(["admission", "references"]));
});

test("only the composition root gets all dependencies", () => {
  const isTaken = new RegExp(`(?<!keyof )(?<=[:&|<,.] ?)(${JOINED.join("|")})\\b(?!\\[)`);
  const taken = files
    .filter(({ path }) => !/^src\/(gateway|storage)\//.test(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => !line.startsWith("import") && isTaken.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );

  expect(taken).toEqual([]);
});

test("no other type joins the dependencies of several subjects", () => {
  const joining = declared
    .filter(({ path, name }) => !path.startsWith("src/gateway/") && !JOINED.includes(name))
    .filter(({ body }) => [...body.matchAll(/: \w+Deps\b/g)].length > 2)
    .map(({ path, name }) => `${path}: ${name}`);

  expect(joining).toEqual([]);
});

function declarationsIn(path: string, text: string): readonly Declaration[] {
  const interfaces = [
    ...text.matchAll(/^(?:export )?interface (\w+)(?:<[^{]*>)?([^{]*)\{(.*?)^\}/gms),
  ].map(([, name = "", parents = "", body = ""]) => ({ path, name, parents, body }));
  const types = [...text.matchAll(/^(?:export )?type (\w+) =(.*?);$/gms)].map(
    ([, name = "", parents = ""]) => ({ path, name, parents, body: "" }),
  );
  return [...interfaces, ...types];
}

/** The names of all members, with those of other types that a type is made of. */
function membersOf(name: string): readonly string[] {
  const found = byName.get(name);
  if (found === undefined) return [];
  const { parents, body } = found;
  const picked = [...parents.matchAll(/Pick<\s*\w+,([^>]*)>/g)].flatMap(([, names = ""]) =>
    textsIn(names),
  );
  const rest = [...parents.matchAll(/Omit<\s*(\w+),([^>]*)>/g)].flatMap(
    ([, from = "", names = ""]) => {
      const omitted = textsIn(names);
      return membersOf(from).filter((member) => !omitted.includes(member));
    },
  );
  const whole = parents.replaceAll(/(Pick|Omit)<[^>]*>/g, "").match(/\b[A-Z]\w*/g) ?? [];
  return [...membersIn(body), ...picked, ...rest, ...whole.flatMap(membersOf)];
}

function membersIn(body: string): readonly string[] {
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(([, name = ""]) => name);
}

function textsIn(list: string): readonly string[] {
  return [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}
