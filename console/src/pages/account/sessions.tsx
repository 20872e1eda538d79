import { useQueryClient } from "@tanstack/react-query";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SessionTable } from "../../ui/session-table.tsx";
import { toast } from "../../ui/toast.tsx";
import { ACCOUNT_TEXTS } from "./texts.ts";

export function Sessions() {
  const t = useTexts(ACCOUNT_TEXTS);
  const client = useQueryClient();
  const sessions = hooks.useQuery("get", "/api/user/self/sessions");
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/user/self/sessions"] });
  const end = hooks.useMutation("delete", "/api/user/self/sessions/{session}", {
    onSuccess: refresh,
  });
  const endOthers = hooks.useMutation("post", "/api/user/self/sessions/end", {
    onSuccess({ message }) {
      toast(message);
      refresh();
    },
  });
  return (
    <Section
      title={t.sessions}
      actions={
        <Button busy={endOthers.isPending} onClick={() => endOthers.mutate({})}>
          {t.endOthers}
        </Button>
      }
    >
      {sessions.error !== null && <Problem error={sessions.error} />}
      <SessionTable
        sessions={sessions.data?.data.items}
        onEnd={(session) => end.mutate({ params: { path: { session } } })}
      />
    </Section>
  );
}
