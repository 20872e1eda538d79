/** Countries and their capitals; where there are several, the one that is usually named. */
export const CAPITALS: ReadonlyMap<string, string> = new Map(
  `Afghanistan:Kabul Albania:Tirana Algeria:Algiers Andorra:Andorra_la_Vella Angola:Luanda Argentina:Buenos_Aires
  Armenia:Yerevan Australia:Canberra Austria:Vienna Azerbaijan:Baku Bahamas:Nassau Bahrain:Manama Bangladesh:Dhaka
  Barbados:Bridgetown Belarus:Minsk Belgium:Brussels Belize:Belmopan Benin:Porto-Novo Bhutan:Thimphu Bolivia:Sucre
  Botswana:Gaborone Brazil:Brasília Brunei:Bandar_Seri_Begawan Bulgaria:Sofia Burundi:Gitega Cambodia:Phnom_Penh
  Cameroon:Yaoundé Canada:Ottawa Chad:N'Djamena Chile:Santiago China:Beijing Colombia:Bogotá Croatia:Zagreb Cuba:Havana
  Cyprus:Nicosia Czechia:Prague Denmark:Copenhagen Djibouti:Djibouti Ecuador:Quito Egypt:Cairo Eritrea:Asmara
  Estonia:Tallinn Eswatini:Mbabane Ethiopia:Addis_Ababa Fiji:Suva Finland:Helsinki France:Paris Gabon:Libreville
  Gambia:Banjul Georgia:Tbilisi Germany:Berlin Ghana:Accra Greece:Athens Guatemala:Guatemala_City Guinea:Conakry
  Guyana:Georgetown Haiti:Port-au-Prince Honduras:Tegucigalpa Hungary:Budapest Iceland:Reykjavík India:New_Delhi
  Indonesia:Jakarta Iran:Tehran Iraq:Baghdad Ireland:Dublin Israel:Jerusalem Italy:Rome Jamaica:Kingston Japan:Tokyo
  Jordan:Amman Kazakhstan:Astana Kenya:Nairobi Kiribati:Tarawa Kosovo:Pristina Kuwait:Kuwait_City Kyrgyzstan:Bishkek
  Laos:Vientiane Latvia:Riga Lebanon:Beirut Lesotho:Maseru Liberia:Monrovia Libya:Tripoli Liechtenstein:Vaduz
  Lithuania:Vilnius Luxembourg:Luxembourg Madagascar:Antananarivo Malawi:Lilongwe Malaysia:Kuala_Lumpur Maldives:Malé
  Mali:Bamako Malta:Valletta Mauritania:Nouakchott Mauritius:Port_Louis Mexico:Mexico_City Moldova:Chișinău
  Monaco:Monaco Mongolia:Ulaanbaatar Montenegro:Podgorica Morocco:Rabat Mozambique:Maputo Myanmar:Naypyidaw
  Namibia:Windhoek Nauru:Yaren Nepal:Kathmandu Netherlands:Amsterdam New_Zealand:Wellington Nicaragua:Managua
  Niger:Niamey Nigeria:Abuja North_Korea:Pyongyang Norway:Oslo Oman:Muscat Pakistan:Islamabad Panama:Panama_City
  Paraguay:Asunción Peru:Lima Philippines:Manila Poland:Warsaw Portugal:Lisbon Qatar:Doha Romania:Bucharest
  Russia:Moscow Rwanda:Kigali Samoa:Apia San_Marino:San_Marino Saudi_Arabia:Riyadh Senegal:Dakar Serbia:Belgrade
  Seychelles:Victoria Sierra_Leone:Freetown Singapore:Singapore Slovakia:Bratislava Slovenia:Ljubljana
  Somalia:Mogadishu South_Africa:Pretoria South_Korea:Seoul South_Sudan:Juba Spain:Madrid Sri_Lanka:Colombo
  Sudan:Khartoum Suriname:Paramaribo Sweden:Stockholm Switzerland:Bern Syria:Damascus Taiwan:Taipei
  Tajikistan:Dushanbe Tanzania:Dodoma Thailand:Bangkok Togo:Lomé Tonga:Nuku'alofa Tunisia:Tunis Turkey:Ankara
  Turkmenistan:Ashgabat Tuvalu:Funafuti Uganda:Kampala Ukraine:Kyiv United_Arab_Emirates:Abu_Dhabi
  United_Kingdom:London United_States:Washington Uruguay:Montevideo Uzbekistan:Tashkent Vanuatu:Port_Vila
  Venezuela:Caracas Vietnam:Hanoi Yemen:Sana'a Zambia:Lusaka Zimbabwe:Harare`
    .split(/\s+/)
    .map((pair) => {
      const [country = "", capital = ""] = pair.replaceAll("_", " ").split(":");
      return [country.toLowerCase(), capital];
    }),
);
