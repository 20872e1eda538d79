import { useQueryClient } from "@tanstack/react-query";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SessionTable } from "../../ui/session-table.tsx";
import { toast } from "../../ui/toast.tsx";
import { USER_TEXTS } from "./texts.ts";

const PATH = "/api/user/{id}/sessions";

export function UserSessions({ id }: { readonly id: number }) {
  const t = useTexts(USER_TEXTS);
  const client = useQueryClient();
  const path = { id: String(id) };
  const sessions = hooks.useQuery("get", PATH, { params: { path } });
  const end = hooks.useMutation("delete", "/api/user/{id}/sessions/{session}", {
    onSuccess() {
      toast(t.sessionEnded);
      void client.invalidateQueries({ queryKey: ["get", PATH] });
    },
    onError: () => undefined,
  });
  const error = sessions.error ?? end.error;
  return (
    <Section title={t.sessions}>
      {error !== null && <Problem error={error} />}
      <SessionTable
        sessions={sessions.data?.data.items}
        onEnd={(session) => end.mutate({ params: { path: { ...path, session } } })}
      />
    </Section>
  );
}
