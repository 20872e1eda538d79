import { z } from "zod";
import { jsonAnswer } from "./answer.ts";
import { getAbout } from "./api/about.ts";
import {
  acknowledgeAlert,
  listAlertDeliveries,
  listAlerts,
  replayAlertDelivery,
  silenceAlert,
} from "./api/alert/alerts.ts";
import {
  createAlertDestination,
  deleteAlertDestination,
  listAlertDestinations,
  rotateAlertSecret,
  testAlertDestination,
  updateAlertDestination,
} from "./api/alert/destinations.ts";
import {
  createAlertRule,
  deleteAlertRule,
  listAlertRules,
  silenceAlertRule,
  updateAlertRule,
} from "./api/alert/rules.ts";
import { getHome } from "./api/home/home.ts";
import { getPricing } from "./api/home/pricing.ts";
import { getStatusPage } from "./api/home/status-page.ts";
import {
  createAccessToken,
  createOwnAccessToken,
  deleteAccessToken,
  listOwnAccessTokens,
  renameOwnAccessToken,
  revokeOwnAccessToken,
} from "./api/access-token/own-access-tokens.ts";
import {
  createUserAccessToken,
  listUserAccessTokens,
  renameUserAccessToken,
  revokeUserAccessToken,
} from "./api/access-token/user-access-tokens.ts";
import { arkOperations, arkTaskOperations, arkText } from "./api/ark.ts";
import { assetLibrary } from "./api/asset/assets.ts";
import {
  createOwnAssetGroup,
  listOwnAssetGroups,
  renameOwnAssetGroup,
} from "./api/asset/groups.ts";
import {
  createOwnAsset,
  deleteOwnAsset,
  listAssets,
  listOwnAssets,
  renameOwnAsset,
} from "./api/asset/list.ts";
import { uploadOwnAsset } from "./api/asset/upload.ts";
import {
  beginOwnVerification,
  listOwnVerifications,
  listVerifications,
} from "./api/asset/verification-list.ts";
import { getAssetContent } from "./api/asset/content.ts";
import { verifyReturn } from "./api/asset/verify-return.ts";
import { getAuditHead, listAudit, verifyAudit } from "./api/audit/audit-log.ts";
import {
  planCatalogUpdate,
  showCatalog,
  takeBackCatalog,
  updateCatalog,
} from "./api/catalog/catalog.ts";
import { copyChannel } from "./api/channel/copy-channel.ts";
import { createChannel } from "./api/channel/create-channel.ts";
import { explainRouting } from "./api/channel/explain-routing.ts";
import { getChannelBalance } from "./api/channel/channel-balance.ts";
import { changeChannels } from "./api/channel/change-channels.ts";
import { testDraft } from "./api/channel/test-draft.ts";
import { deleteChannel } from "./api/channel/delete-channel.ts";
import { enableChannel } from "./api/channel/enable-channel.ts";
import { getChannel, getChannelHistory, listChannels } from "./api/channel/list-channels.ts";
import { testChannel } from "./api/channel/test-channel.ts";
import { testChannels } from "./api/channel/test-channels.ts";
import { updateChannel } from "./api/channel/update-channel.ts";
import {
  createCodeBatch,
  listCodeBatches,
  listCodes,
  revokeCodeBatch,
} from "./api/code/code-batches.ts";
import { redeemCode } from "./api/code/redeem-code.ts";
import {
  applyConfiguration,
  exportConfiguration,
  planConfiguration,
} from "./api/config/configuration.ts";
import { explainRequest } from "./api/explain.ts";
import { audioOperations } from "./api/forward/audio.ts";
import { createModeration } from "./api/forward/moderation.ts";
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from "./api/group/groups.ts";
import { applyImport, planImport } from "./api/import/imports.ts";
import { acceptInvitation, checkInvitation } from "./api/invitation/accept-invitation.ts";
import {
  createInvitation,
  getInvitation,
  listInvitations,
  revokeInvitation,
} from "./api/invitation/invitations.ts";
import {
  getCall,
  getOwnCall,
  getTeamCall,
  listCalls,
  listOwnCalls,
  listTeamCalls,
} from "./api/log/calls.ts";
import { getCallContent, getOwnCallContent } from "./api/log/content.ts";
import { explainCall } from "./api/log/explain-call.ts";
import { streamCalls, streamOwnCalls, streamTeamCalls } from "./api/log/stream-calls.ts";
import { getBillingSubscription, getBillingUsage } from "./api/key/billing.ts";
import { getCredits, getCurrentKey } from "./api/key/current-key.ts";
import { getOwnKey } from "./api/key/own-key.ts";
import { imageOperations } from "./api/image/images.ts";
import {
  cloudModels,
  getModel,
  getNativeModel,
  listModels,
  listNativeModels,
} from "./api/list-models.ts";
import { testMail } from "./api/mail/test-mail.ts";
import { listModelEntries } from "./api/model/list-models.ts";
import { deleteModelOverride, putModelOverride } from "./api/model/overrides.ts";
import {
  getNoticeSecret,
  listNotices,
  replayNotice,
  rotateNoticeSecret,
} from "./api/webhook/webhooks.ts";
import { createEmbedding } from "./api/operation/create-embedding.ts";
import { embedTexts } from "./api/operation/embed-texts.ts";
import { nativeEmbeddings } from "./api/operation/native-embeddings.ts";
import { nativePredictions } from "./api/operation/native-predictions.ts";
import { rerankOperations } from "./api/operation/rerank.ts";
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
} from "./api/service-account/service-accounts.ts";
import { hello, livez, metrics, readyz } from "./api/status.ts";
import {
  getMember,
  listMembers,
  memberRaises,
  putTeamMembers,
  removeTeamMembers,
  updateMember,
} from "./api/team/members.ts";
import { listOwnTasks, listTasks } from "./api/task/tasks.ts";
import { gatewayRaises, getGatewayBudget, setGatewayBudget } from "./api/quota/gateway-budget.ts";
import { getTeamQuota, listTeamGrants, teamRaises, topUpTeam } from "./api/team/quota.ts";
import { createTeam, deleteTeam, getTeam, listTeams, updateTeam } from "./api/team/teams.ts";
import { deleteSetting, listSettings, putSetting } from "./api/setting/settings.ts";
import { createChatCompletion } from "./api/text/chat-completions.ts";
import { createCompletion } from "./api/text/completions.ts";
import { countMessageTokens, countResponseTokens } from "./api/text/count-tokens.ts";
import { createMessage } from "./api/text/messages.ts";
import { nativeOperations } from "./api/text/native.ts";
import { compactResponse } from "./api/text/compact/route.ts";
import { openResponseSocket } from "./api/text/response-socket/route.ts";
import { createResponse } from "./api/text/responses.ts";
import {
  cancelResponse,
  deleteResponse,
  getResponse,
  listInputItems,
} from "./api/text/stored-responses.ts";
import { setTokenContentLog } from "./api/token/content-log.ts";
import { deleteTokens } from "./api/token/delete-tokens.ts";
import { endOldSecret, rotateKey } from "./api/token/rotate-key.ts";
import {
  createToken,
  deleteToken,
  getToken,
  listTokens,
  tokenRaises,
  updateNamedToken,
  updateToken,
} from "./api/token/tokens.ts";
import {
  getOwnInvoice,
  getOwnTeamInvoice,
  getTeamInvoice,
  getUserInvoice,
} from "./api/invoice/invoices.ts";
import { listUnpricedModels } from "./api/price/unpriced.ts";
import { getOwnUsage, getTeamUsage, getUsage } from "./api/usage/usage.ts";
import { describeLogin } from "./api/user/describe-login.ts";
import { finishLogin, login, logout } from "./api/user/login.ts";
import {
  beginOidc,
  describeOidc,
  beginInvitedOidc,
  finishOidc,
  linkIdentity,
  unlinkIdentity,
} from "./api/user/oidc.ts";
import {
  getOwnQuota,
  getQuota,
  listGrants,
  listOwnGrants,
  setQuota,
  topUpUser,
  userRaises,
} from "./api/user/quota.ts";
import { getSelf, updateSelf } from "./api/user/self.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeOwnSecondFactor,
  removeSecondFactor,
} from "./api/user/second-factor.ts";
import { getAccount } from "./api/user/account.ts";
import { countUserCalls } from "./api/user/open-calls.ts";
import {
  endSession,
  endSessions,
  endUserSession,
  endUserSessions,
  listSessions,
  listUserSessions,
} from "./api/user/sessions.ts";
import { confirmEmail } from "./api/user/change-email.ts";
import { requestPasswordReset, resetPassword } from "./api/user/password-reset.ts";
import {
  beginRegistration,
  describeRegistration,
  finishRegistration,
  register,
} from "./api/user/register.ts";
import { setUp } from "./api/user/set-up.ts";
import {
  createUserToken,
  deleteUserToken,
  listUserTokens,
  updateUserToken,
} from "./api/user/user-tokens.ts";
import { createUser, deleteUser, getUser, listUsers, updateUser } from "./api/user/users.ts";
import { contentTaskOperations } from "./api/video/content-tasks.ts";
import { cloudVideos } from "./api/video/cloud-videos.ts";
import { nativeFiles } from "./api/video/native-files.ts";
import { nativeVideos } from "./api/video/native-videos.ts";
import { videoOperations } from "./api/video/objects.ts";
import { unifiedOperations } from "./api/video/unified.ts";
import { vendorWebhook } from "./api/video/vendor-webhook.ts";
import { protocolB } from "./api/video/protocol-b.ts";
import { protocolC } from "./api/video/protocol-c.ts";
import { protocolD } from "./api/video/protocol-d.ts";
import { protocolE } from "./api/video/protocol-e.ts";
import { getContent, getSignedContent } from "./api/video/content.ts";
import type { AccessTokenDeps } from "./deps/access-tokens.ts";
import type { AccountDeps } from "./deps/accounts.ts";
import type { AlertDeps } from "./deps/alerts.ts";
import type { AssetListDeps } from "./deps/asset-list.ts";
import type { AssetDeps } from "./deps/assets.ts";
import type { HolderDeps } from "./deps/holders.ts";
import type { JoiningDeps, RedemptionDeps, RegistrationDeps } from "./deps/joining.ts";
import type { HomeDeps } from "./deps/home.ts";
import type { LoginDeps } from "./deps/logins.ts";
import type { ImageDeps } from "./deps/operations.ts";
import type { PastCallDeps } from "./deps/past-calls.ts";
import type { OwnAccountDeps } from "./deps/own-account.ts";
import type { ReportDeps } from "./deps/reports.ts";
import type { PriceDeps } from "./deps/prices.ts";
import type { RoutingDeps } from "./deps/routing.ts";
import type { SettingDeps } from "./deps/settings.ts";
import type { SocketDeps } from "./deps/sockets.ts";
import type { StatusDeps } from "./deps/status.ts";
import type { TaskListDeps } from "./deps/task-list.ts";
import type { TextDeps } from "./deps/text.ts";
import type { VideoDeps } from "./deps/videos.ts";
import type { WebhookDeps } from "./deps/webhooks.ts";
import type { JsonObject } from "#lib/json.ts";
import { json } from "./json.ts";
import { buildOpenApi } from "./openapi.ts";
import type { Endpoint, RouteDescription } from "./routes.ts";

/** The dependencies of each subject's endpoints. */
export interface DepsBySubject {
  readonly text: TextDeps;
  readonly sockets: SocketDeps;
  readonly operations: ImageDeps;
  readonly videos: VideoDeps;
  readonly taskList: TaskListDeps;
  readonly routing: RoutingDeps;
  readonly prices: PriceDeps;
  readonly holders: HolderDeps;
  readonly assets: AssetDeps;
  readonly assetList: AssetListDeps;
  readonly webhooks: WebhookDeps;
  readonly alerts: AlertDeps;
  readonly home: HomeDeps;
  readonly logins: LoginDeps;
  readonly joining: JoiningDeps;
  readonly registration: RegistrationDeps;
  readonly redemption: RedemptionDeps;
  readonly accessTokens: AccessTokenDeps;
  readonly ownAccount: OwnAccountDeps;
  readonly accounts: AccountDeps;
  readonly pastCalls: PastCallDeps;
  readonly reports: ReportDeps;
  readonly settings: SettingDeps;
  readonly status: StatusDeps;
}

type EndpointsBySubject = {
  readonly [Subject in keyof DepsBySubject]: readonly Endpoint<DepsBySubject[Subject]>[];
};

/** All served endpoints. */
export const ENDPOINTS: EndpointsBySubject = {
  text: [
    ...inOtherShape(createChatCompletion),
    ...inOtherShape(createCompletion),
    ...inOtherShape(createResponse),
    countResponseTokens,
    ...inOtherShape(compactResponse),
    getResponse,
    deleteResponse,
    cancelResponse,
    listInputItems,
    createMessage,
    countMessageTokens,
    ...nativeOperations,
    ...arkText,
    explainRequest,
  ],
  sockets: inOtherShape(openResponseSocket),
  operations: [
    ...inOtherShape(createEmbedding),
    embedTexts,
    ...nativePredictions,
    ...nativeEmbeddings,
    ...rerankOperations,
    ...imageOperations,
    ...audioOperations.flatMap(inOtherShape),
    ...inOtherShape(createModeration),
    ...arkOperations,
  ],
  videos: [
    ...nativeVideos,
    ...nativeFiles,
    ...cloudVideos,
    vendorWebhook,
    ...unifiedOperations,
    ...videoOperations.flatMap(inOtherShape),
    ...contentTaskOperations,
    ...arkTaskOperations,
    protocolB,
    ...protocolC,
    ...protocolD,
    ...protocolE,
    ...inOtherShape(getContent),
    getSignedContent,
  ],
  taskList: [listOwnTasks, listTasks],
  routing: [
    ...cloudModels,
    ...inOtherShape(listModels),
    ...inOtherShape(getModel),
    listNativeModels,
    getNativeModel,
    listChannels,
    getChannel,
    getChannelHistory,
    createChannel,
    updateChannel,
    deleteChannel,
    enableChannel,
    changeChannels,
    testDraft,
    getChannelBalance,
    copyChannel,
    testChannel,
    testChannels,
    listModelEntries,
    putModelOverride,
    deleteModelOverride,
    showCatalog,
    planCatalogUpdate,
    updateCatalog,
    takeBackCatalog,
  ],
  prices: [listUnpricedModels],
  holders: [getOwnKey, getBillingSubscription, getBillingUsage, getCurrentKey, getCredits],
  assets: [assetLibrary, verifyReturn, getAssetContent],
  assetList: [
    listOwnAssets,
    listAssets,
    createOwnAsset,
    uploadOwnAsset,
    renameOwnAsset,
    deleteOwnAsset,
    listOwnAssetGroups,
    createOwnAssetGroup,
    renameOwnAssetGroup,
    listOwnVerifications,
    listVerifications,
    beginOwnVerification,
  ],
  webhooks: [listNotices, replayNotice, getNoticeSecret, rotateNoticeSecret],
  alerts: [
    listAlerts,
    acknowledgeAlert,
    silenceAlert,
    listAlertDeliveries,
    replayAlertDelivery,
    listAlertRules,
    createAlertRule,
    updateAlertRule,
    deleteAlertRule,
    silenceAlertRule,
    listAlertDestinations,
    createAlertDestination,
    updateAlertDestination,
    deleteAlertDestination,
    rotateAlertSecret,
    testAlertDestination,
  ],
  home: [getHome, getStatusPage, getPricing],
  logins: [
    login,
    finishLogin,
    logout,
    setUp,
    describeOidc,
    beginOidc,
    finishOidc,
    beginInvitedOidc,
    linkIdentity,
    unlinkIdentity,
    getSelf,
    updateSelf,
    confirmEmail,
    requestPasswordReset,
    resetPassword,
    beginSecondFactor,
    confirmSecondFactor,
    removeOwnSecondFactor,
    removeSecondFactor,
    listSessions,
    endSessions,
    endSession,
    listUserSessions,
    endUserSession,
    endUserSessions,
  ],
  ownAccount: [getAccount],
  accessTokens: [
    createAccessToken,
    deleteAccessToken,
    listOwnAccessTokens,
    createOwnAccessToken,
    renameOwnAccessToken,
    revokeOwnAccessToken,
    listUserAccessTokens,
    createUserAccessToken,
    renameUserAccessToken,
    revokeUserAccessToken,
  ],
  joining: [
    createInvitation,
    listInvitations,
    getInvitation,
    revokeInvitation,
    checkInvitation,
    acceptInvitation,
  ],
  redemption: [createCodeBatch, listCodeBatches, listCodes, revokeCodeBatch, redeemCode],
  registration: [
    describeLogin,
    describeRegistration,
    beginRegistration,
    finishRegistration,
    register,
  ],
  accounts: [
    deleteTokens,
    setTokenContentLog,
    listTokens,
    getToken,
    createToken,
    updateToken,
    updateNamedToken,
    deleteToken,
    ...tokenRaises,
    rotateKey,
    endOldSecret,
    listUsers,
    getUser,
    createUser,
    updateUser,
    deleteUser,
    listUserTokens,
    createUserToken,
    updateUserToken,
    deleteUserToken,
    listServiceAccounts,
    getServiceAccount,
    createServiceAccount,
    updateServiceAccount,
    deleteServiceAccount,
    listGroups,
    getGroup,
    createGroup,
    updateGroup,
    deleteGroup,
    getOwnQuota,
    getQuota,
    setQuota,
    topUpUser,
    ...userRaises,
    listOwnGrants,
    listGrants,
    listTeams,
    getTeam,
    createTeam,
    updateTeam,
    deleteTeam,
    getTeamQuota,
    listMembers,
    putTeamMembers,
    removeTeamMembers,
    getMember,
    updateMember,
    ...memberRaises,
    topUpTeam,
    ...teamRaises,
    listTeamGrants,
    getGatewayBudget,
    setGatewayBudget,
    ...gatewayRaises,
  ],
  reports: [
    streamOwnCalls,
    streamTeamCalls,
    streamCalls,
    listOwnCalls,
    getOwnCall,
    listTeamCalls,
    getTeamCall,
    listCalls,
    getOwnUsage,
    getTeamUsage,
    getOwnInvoice,
    getOwnTeamInvoice,
    getUserInvoice,
    getTeamInvoice,
    getUsage,
    countUserCalls,
    listAudit,
    getAuditHead,
    verifyAudit,
  ],
  pastCalls: [getCall, getOwnCallContent, explainCall, explainRouting, getCallContent],
  settings: [
    listSettings,
    putSetting,
    deleteSetting,
    testMail,
    exportConfiguration,
    planConfiguration,
    applyConfiguration,
    planImport,
    applyImport,
  ],
  status: [
    getAbout,
    livez,
    hello,
    readyz,
    metrics,
    {
      ...livez,
      operationId: "getOpenApi",
      answer: jsonAnswer(z.looseObject({ openapi: z.string() })),
      path: "/openapi.json",
      summary: "This document.",
      handle: ({ id }, { version }) => json(apiDocument(version), id),
    },
  ],
};

/** All endpoints without their code. */
export const ROUTES: readonly RouteDescription[] = Object.values(ENDPOINTS).flat();

/** In the order of `ENDPOINTS`. */
export const SUBJECTS: readonly (keyof DepsBySubject)[] = Object.keys(ENDPOINTS).filter(
  (name): name is keyof DepsBySubject => Object.hasOwn(ENDPOINTS, name),
);

let document: JsonObject | undefined;

function apiDocument(version: string): JsonObject {
  document ??= buildOpenApi(ROUTES, version);
  return document;
}

/** The same endpoint below the prefix that some clients of the chat style put first. */
function inOtherShape<Deps>(endpoint: Endpoint<Deps>): readonly Endpoint<Deps>[] {
  const operationId = `${endpoint.operationId}Openai`;
  return [endpoint, { ...endpoint, operationId, path: `/openai${endpoint.path}` }];
}
