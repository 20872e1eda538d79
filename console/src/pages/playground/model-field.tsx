import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { TextField } from "../../ui/field.tsx";
import { askModel } from "./model-client.ts";
import { usePlaygroundKey } from "./playground-key.tsx";

interface ListedModel {
  readonly id: string;
  readonly architecture?: { readonly output_modalities?: readonly string[] };
}

/** The models that the key may use. */
export function useModels(): readonly ListedModel[] {
  const key = usePlaygroundKey();
  const models = useQuery({
    queryKey: ["playground models", key?.secret],
    enabled: key !== undefined,
    staleTime: 60_000,
    queryFn: async () => {
      const { response } = await askModel({
        key: key?.secret ?? "",
        path: "/v1/models",
        body: undefined,
      });
      return (await response.json()) as { readonly data: readonly ListedModel[] };
    },
  });
  return models.data?.data ?? [];
}

/** A model by name, with the known ones to choose from. `makes`: what it must be able to output. */
export function ModelField({
  label,
  value,
  onChange,
  makes,
  required = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly makes?: string;
  readonly required?: boolean;
}) {
  const list = useId();
  const models = useModels().filter(
    ({ architecture }) =>
      makes === undefined || architecture?.output_modalities?.includes(makes) === true,
  );
  return (
    <>
      <TextField
        label={label}
        list={list}
        required={required}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {models.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
