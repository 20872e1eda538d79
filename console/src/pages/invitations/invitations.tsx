import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { CodeBatches } from "./code-batches.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { INVITATION_TEXTS } from "./texts.ts";

/** Invitations, and the redemption codes as a tab. */
export function Page() {
  const t = useTexts(INVITATION_TEXTS);
  const { role } = useUser();
  const [params, setParams] = useQueryState();
  const mayCodes = isAtLeast(role, "auditor");
  const isCodes = mayCodes && params.get("tab") === "codes";
  const tabs = mayCodes && (
    <Tabs
      label={t.title}
      value={isCodes ? "codes" : "invitations"}
      onChange={(value) => setParams({ tab: value === "codes" ? value : undefined })}
      tabs={[
        { value: "invitations", label: t.title },
        { value: "codes", label: t.codes },
      ]}
    />
  );
  return isCodes ? <CodeBatches tabs={tabs} /> : <InvitationList tabs={tabs} />;
}
