import { AUDIT_USAGE } from "./audit.ts";
import { BACKUP_ROWS, RESTORE_ROWS } from "./backup.ts";
import { budgets } from "./budgets.ts";
import { alerts } from "./alerts.ts";
import { assets } from "./assets.ts";
import { auditRows } from "./audit-rows.ts";
import { channels } from "./channels.ts";
import { describeNoun } from "./command.ts";
import { SHELLS } from "./completion.ts";
import { config as configuration } from "./config.ts";
import { commandOf, type Command } from "./help.ts";
import { groups } from "./groups.ts";
import { keys } from "./keys.ts";
import { models } from "./models.ts";
import { PLAIN_OPTIONS } from "./plain-arguments.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { settings } from "./settings.ts";
import { log as logNoun } from "./log.ts";
import { invoice } from "./invoice.ts";
import { prices } from "./prices.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
import { usage } from "./usage.ts";
import { codes } from "./codes.ts";
import { imports } from "./imports.ts";
import { invitations } from "./invitations.ts";
import { mail } from "./mail.ts";
import { tasks } from "./tasks.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";

/** Commands for kinds of objects, over the management API. */
export const NOUNS = [
  keys,
  tokens,
  users,
  teams,
  serviceAccounts,
  budgets,
  groups,
  invitations,
  codes,
  mail,
  channels,
  models,
  webhooks,
  logNoun,
  tasks,
  assets,
  usage,
  invoice,
  prices,
  alerts,
  settings,
  configuration,
  imports,
];

const KNOWN_COMMANDS: readonly Command[] = [
  { name: "start", rows: [["start", "runs the gateway"]], words: [] },
  {
    name: "check",
    rows: [
      [
        "check [--json]",
        "shows the configuration and the source of each value, or all mistakes in it",
      ],
    ],
    words: PLAIN_OPTIONS.check,
  },
  {
    name: "doctor",
    rows: [["doctor [--json]", "checks everything that a gateway needs and reports problems"]],
    words: PLAIN_OPTIONS.doctor,
  },
  {
    name: "health",
    rows: [
      ["health [--json]", "asks the running gateway for /readyz; exit code 1 if it is not ready"],
    ],
    words: PLAIN_OPTIONS.health,
  },
  {
    name: "audit",
    rows: [
      [AUDIT_USAGE.replace(/^sluice /, ""), "verifies the audit log"],
      ...describeNoun(auditRows),
    ],
    words: ["verify", ...commandOf(auditRows).words],
  },
  { name: "backup", rows: BACKUP_ROWS, words: ["--files", "--json"] },
  { name: "restore", rows: RESTORE_ROWS, words: ["--replace", "--check", "--json"] },
  ...NOUNS.map(commandOf),
  {
    name: "completion",
    rows: [[`completion ${SHELLS.join("|")}`, "prints a script that completes commands"]],
    words: SHELLS,
  },
  { name: "version", rows: [["version", "shows the version, as --version does"]], words: [] },
];
/** All commands, as help and completion show them. */
export const COMMANDS: readonly Command[] = [
  ...KNOWN_COMMANDS,
  {
    name: "help",
    rows: [["help [command]", "shows this text, or that of a command"]],
    words: KNOWN_COMMANDS.map(({ name }) => name),
  },
];
