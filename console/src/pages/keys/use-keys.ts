import { useQueryClient } from "@tanstack/react-query";
import { hooks } from "../../api/client.ts";

const OF_USER = "/api/user/{id}/token";

/** The keys of the user who is logged in, or those of another one, with the same changes. */
export function useKeys(user: string | undefined, query: Readonly<Record<string, string>>) {
  const client = useQueryClient();
  const isOwn = user === undefined;
  const path = { id: user ?? "" };
  const own = hooks.useQuery(
    "get",
    "/api/token",
    { params: { query } as never },
    { enabled: isOwn },
  );
  const others = hooks.useQuery(
    "get",
    OF_USER,
    { params: { path, query } as never },
    { enabled: !isOwn },
  );
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", isOwn ? "/api/token" : OF_USER] });
  const onError = (): void => undefined;
  const create = hooks.useMutation("post", "/api/token", { onSuccess: refresh, onError });
  const createOf = hooks.useMutation("post", OF_USER, { onSuccess: refresh, onError });
  const update = hooks.useMutation("put", "/api/token/{id}", { onSuccess: refresh });
  const updateOf = hooks.useMutation("put", `${OF_USER}/{token}`, { onSuccess: refresh });
  const remove = hooks.useMutation("delete", "/api/token/{id}", { onSuccess: refresh });
  const removeOf = hooks.useMutation("delete", `${OF_USER}/{token}`, { onSuccess: refresh });
  const creating = isOwn ? create : createOf;
  const updating = isOwn ? update : updateOf;
  return {
    list: isOwn ? own : others,
    path: isOwn ? "/api/token" : `/api/user/${user}/token`,
    command: isOwn ? "sluice keys list" : `sluice keys list --user ${user}`,
    refresh,
    creating,
    updating,
    isRemoving: remove.isPending || removeOf.isPending,
    create(body: object, onMade: (secret: string) => void): void {
      const onSuccess = ({ data }: { readonly data: { readonly key: string } }): void =>
        onMade(data.key);
      if (isOwn) create.mutate({ body: body as never }, { onSuccess });
      else createOf.mutate({ params: { path }, body: body as never }, { onSuccess });
    },
    update(token: number, fields: object, onSuccess: () => void): void {
      const id = String(token);
      const body = fields as never;
      if (isOwn) update.mutate({ params: { path: { id } }, body }, { onSuccess });
      else updateOf.mutate({ params: { path: { ...path, token: id } }, body }, { onSuccess });
    },
    remove(token: number, onSuccess: () => void): void {
      const id = String(token);
      if (isOwn) remove.mutate({ params: { path: { id } } }, { onSuccess });
      else removeOf.mutate({ params: { path: { ...path, token: id } } }, { onSuccess });
    },
  };
}
