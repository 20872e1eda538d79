import type { Configuration } from "#core/configuration.ts";
import type { Importer } from "#core/import.ts";
import type { Mailer } from "#core/mail.ts";
import type { ChangeableSettings } from "#core/setting.ts";

/** Dependencies of the endpoints of settings and of the whole configuration. */
export interface SettingDeps {
  readonly settings: ChangeableSettings;
  readonly configuration: Configuration;
  readonly importer: Importer;
  /** Undefined if no mail server is configured. */
  readonly mailer: Mailer | undefined;
}
