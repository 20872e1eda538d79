export type Environment = Readonly<Record<string, string | undefined>>;

interface Expansion {
  readonly text: string;
  /** All variables in the template, set or not. */
  readonly variables: readonly string[];
  readonly mistakes: readonly string[];
}

const MAX_LENGTH = 64 * 1024;

// The length limits keep the search linear: a default ends at its first brace.
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]{0,127})(?::-([^}]{0,1024}))?\}|\$\{/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` by values of the environment; the
 * default also replaces an empty value, as in a shell. `$${` stands for the two
 * characters.
 */
export function expand(template: string, env: Environment): Expansion {
  if (!template.includes("${")) return { text: template, variables: [], mistakes: [] };
  if (template.length > MAX_LENGTH) return tooLong([]);

  const variables: string[] = [];
  const mistakes = new Set<string>();
  let length = template.length;
  const text = template.replace(REFERENCE, (reference, name?: string, fallback?: string) => {
    if (reference === "$${") return "${";
    if (name === undefined) {
      mistakes.add(
        'contains "${" without a variable name. Write $${ for the characters themselves.',
      );
      return "";
    }
    variables.push(name);
    const value = findVariable(env, name) ?? (fallback === undefined ? undefined : "");
    if (value === undefined) {
      mistakes.add(
        `needs the variable ${name}, which is not set. Set it, or write \${${name}:-default}.`,
      );
      return "";
    }
    const used = value === "" && fallback !== undefined ? fallback : value;
    length += used.length;
    return length > MAX_LENGTH ? "" : used;
  });
  if (length > MAX_LENGTH) return tooLong(variables);
  return { text, variables, mistakes: [...mistakes] };
}

/** Own properties only, so that `${constructor}` finds nothing. */
export function findVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function tooLong(variables: readonly string[]): Expansion {
  return {
    text: "",
    variables,
    mistakes: [`is longer than ${MAX_LENGTH} characters after its variables are expanded.`],
  };
}
