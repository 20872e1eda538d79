/** A published coding agent, set to one of the wire formats it can speak. */
export interface Agent {
  /** Unique; begins with the command's name. */
  readonly id: string;
  /** The style it speaks to us, by the name the journal gives it. */
  readonly style: string;
  readonly release: Release;
  /** How to start it, headless, with one prompt. */
  launch(task: Task): Launch;
}

/** What is installed for it. */
export interface Release {
  readonly package: string;
  /** One that was tried: an agent's settings change from version to version. */
  readonly version: string;
  /** Below node_modules; the first that starts is taken. */
  readonly programs: readonly string[];
}

/** Where it runs, and what it is asked for. */
export interface Task {
  /** The gateway, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** The agent's own home folder, empty but for the `files` of its launch. */
  readonly home: string;
  /** What it is to read, by absolute path. */
  readonly file: string;
}

export interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Contents by path, below the home folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** Leads to a tool that reads files; the words are chosen so that they ask for no other. */
export function readingPrompt(file: string): string {
  return `Read the file \`${file}\`. What does it say?`;
}

/** Leads to a tool that runs commands. */
export function commandPrompt(file: string): string {
  return `Run the command \`cat ${file}\`. What does it print?`;
}
