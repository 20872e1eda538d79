import { buildError } from "#styles/text/chat/error.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ModelListStyle, ShownModel } from "./model-list.ts";

export const chatModelList: ModelListStyle = {
  id: "chat",
  list: (models) => ({ object: "list", data: models.map(one) }),
  one,
  buildError,
};

function one(model: ShownModel): JsonObject {
  return { id: model.id, object: "model", created: model.createdAt, owned_by: model.owner };
}
