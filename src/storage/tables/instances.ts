/** Gateways that live: a hold of one that is not here, or not seen for long, is abandoned. */
export interface InstancesTable {
  id: string;
  /** By the database's clock where several gateways share it. */
  seen_at: number;
}
