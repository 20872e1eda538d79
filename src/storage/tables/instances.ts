/**
 * Running gateways: a hold of an instance that is missing here, or not seen for
 * long, is abandoned.
 */
export interface InstancesTable {
  id: string;
  /** From the database's clock if several gateways share it. */
  seen_at: number;
}
