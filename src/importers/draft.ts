import type {
  DescribedItem,
  ImportDocument,
  ImportedChannel,
  ImportedGroup,
  ImportedKey,
  ImportedMember,
  ImportedTeam,
  ImportedUser,
  LeftOut,
} from "#core/import.ts";

/** An import that is being written. */
export class ImportDraft {
  readonly source: string;
  readonly channels: ImportedChannel[] = [];
  readonly models: DescribedItem[] = [];
  readonly groups: ImportedGroup[] = [];
  readonly teams: ImportedTeam[] = [];
  readonly users: ImportedUser[] = [];
  readonly members: ImportedMember[] = [];
  readonly keys: ImportedKey[] = [];
  readonly left: LeftOut[] = [];

  constructor(source: string) {
    this.source = source;
  }

  leave(subject: string, why: string): void {
    this.left.push({ subject, why });
  }

  get document(): ImportDocument {
    return this;
  }
}
