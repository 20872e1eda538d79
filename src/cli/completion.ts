import type { Command } from "./help.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** A script that completes commands and options in a shell; undefined for an unknown shell. */
export function completionScript(
  shell: string | undefined,
  commands: readonly Command[],
): string | undefined {
  const known = SHELLS.find((each) => each === shell);
  return known && SCRIPTS[known](commands);
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `_sluice() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(commands)}"
  else
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, words }) => `      ${name}) words="${words.join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sluice sluice
`,
  zsh: (commands) => `#compdef sluice
_sluice() {
  if (( CURRENT == 2 )); then
    compadd -- ${namesOf(commands)}
    return
  fi
  case "$words[2]" in
${commands.map(({ name, words }) => `    ${name}) compadd -- ${words.join(" ")} ;;`).join("\n")}
  esac
}
compdef _sluice sluice
`,
  fish: (commands) => `complete -c sluice -f
complete -c sluice -n __fish_use_subcommand -a "${namesOf(commands)}"
${commands
  .filter(({ words }) => words.length > 0)
  .map(({ name, words }) => {
    const isAfter = `"__fish_seen_subcommand_from ${name}"`;
    return `complete -c sluice -n ${isAfter} -a "${words.join(" ")}"`;
  })
  .join("\n")}
`,
};

function namesOf(commands: readonly Command[]): string {
  return commands.map(({ name }) => name).join(" ");
}
