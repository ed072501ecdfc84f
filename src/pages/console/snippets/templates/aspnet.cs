// Reads CLIENT_SECRET from the environment.
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;
using Microsoft.IdentityModel.Protocols.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseUrls("http://localhost:{{port}}");
builder.Services.AddAuthorization();
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = '{{issuer}}';
        options.RequireHttpsMetadata = options.Authority.StartsWith("https:"); // allows http for local development
        options.ClientId = '{{clientId}}';
        options.ClientSecret = Environment.GetEnvironmentVariable("CLIENT_SECRET");
        options.CallbackPath = '{{callbackPath}}';
        options.ResponseType = OpenIdConnectResponseType.Code;
        options.ResponseMode = OpenIdConnectResponseMode.Query;
        options.UsePkce = true; // state and nonce are sent automatically
        options.Scope.Clear();
        foreach (var scope in '{{scope}}'.Split(' ')) options.Scope.Add(scope);
        options.GetClaimsFromUserInfoEndpoint = true;
        options.MapInboundClaims = false; // claims keep their names: sub, name, email
        options.TokenValidationParameters.NameClaimType = "name";
        options.ClaimActions.MapUniqueJsonKey("picture", '{{pictureClaim}}');
    });

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
// Find or create your user by the sub claim here.
app.MapGet("/", (HttpContext context) => context.User.FindFirst("sub")?.Value).RequireAuthorization();
app.Run();
